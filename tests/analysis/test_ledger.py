from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tickertape.analysis.ledger import Balance, RingLedger, balance_between
from tickertape.decode.bodies import BufferHeader, ClassCounters, Receipt, Status
from tickertape.protocol.wire import BUFFER_HEADER_DTYPE


def header(first: int, count: int, *, dropped: int = 0, sent: int | None = None) -> BufferHeader:
    sent = first - dropped if sent is None else sent
    return BufferHeader(first, dropped, sent, 0, 0, count, 0, 0)


def status(
    ordinal: int, dropped: int, sent: int, *, offered: int | None = None, final: bool = False
) -> Status:
    return Status(
        settled=Receipt(ordinal, dropped, sent),
        offered=ordinal if offered is None else offered,
        dropped=dropped,
        overwritten=0,
        ticks=0,
        policy=0,
        running=not final,
        final=final,
        high_water_buffers=0,
        classes=(ClassCounters(0, 0, 0),),
    )


def ledger_of(*entries: BufferHeader | Status) -> RingLedger:
    ledger = RingLedger()
    for entry in entries:
        if isinstance(entry, Status):
            ledger.status(entry)
        else:
            ledger.buffer(entry)
    return ledger


def at_once(*entries: BufferHeader) -> RingLedger:
    fields = BUFFER_HEADER_DTYPE.names or ()
    rows = [tuple(getattr(entry, name) for name in fields) for entry in entries]
    ledger = RingLedger()
    ledger.buffers(np.array(rows, BUFFER_HEADER_DTYPE))
    return ledger


def test_the_law() -> None:
    balance = balance_between(Receipt(10, 1, 5), Receipt(110, 21, 65), 50)
    assert balance == Balance(100, delivered=50, overwritten=20, dropped=20, damaged=10)
    assert balance.holds
    assert balance.lost == 50
    assert balance + balance == Balance(200, 100, 40, 40, 20)


def test_nothing_was_received() -> None:
    ledger = RingLedger()
    assert ledger.balance == Balance()
    assert ledger.problems() == ()
    assert not ledger.final
    assert ledger.unsettled == 0


def test_a_capture_that_begins_late_counts_from_its_first_receipt() -> None:
    ledger = ledger_of(header(500, 10, dropped=100, sent=300), status(600, 130, 350))
    assert ledger.balance == Balance(100, 10, 20, 30, 40)


def test_status_receipts_may_come_before_gathered_buffers() -> None:
    ledger = ledger_of(status(20, 0, 20), header(0, 10), header(10, 10))
    assert ledger.balance == Balance(20, 20, 0, 0, 0)
    assert ledger.problems() == ()


def test_final_only_while_nothing_follows() -> None:
    ledger = ledger_of(header(0, 10), status(10, 0, 10, final=True))
    assert ledger.final
    ledger.buffer(header(10, 1))
    assert not ledger.final


def test_what_is_offered_but_not_settled() -> None:
    assert ledger_of(header(0, 10), status(10, 0, 10, offered=17)).unsettled == 7


def test_repeated_buffers_count_once() -> None:
    ledger = ledger_of(header(0, 10), header(0, 10), header(10, 5), header(5, 5))
    assert ledger.balance == Balance(15, 15, 0, 0, 0)
    assert ledger.repeated == 15
    assert any("came twice" in line for line in ledger.problems())


CONTRADICTIONS = {
    "sent falls": [header(0, 10), header(10, 5, sent=3)],
    "dropped falls": [header(0, 10, dropped=5, sent=0), header(10, 5, dropped=3, sent=10)],
    "more dropped than offered": [header(0, 10), header(12, 5, dropped=9, sent=10)],
    "more sent than offered": [header(0, 10), header(12, 5, sent=30)],
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_contradictions_are_said(name: str) -> None:
    entries = CONTRADICTIONS[name]
    one_by_one, together = ledger_of(*entries), at_once(*entries)
    assert one_by_one.problems()
    assert together.problems() == one_by_one.problems()


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_what_lies_between_contradicting_receipts_is_unknown(name: str) -> None:
    first, second = CONTRADICTIONS[name]
    ledger = ledger_of(first, second)
    count = first.count + second.count
    assert ledger.balance == Balance(count, count, 0, 0, 0)
    assert ledger.unknown_losses == 1
    assert any("unknown" in line for line in ledger.problems())


def test_a_status_that_contradicts_is_not_used() -> None:
    ledger = ledger_of(header(0, 10), status(20, 0, 5))
    assert ledger.balance == Balance(10, 10, 0, 0, 0)
    assert ledger.problems()


small = st.integers(0, 12)
any_header = st.builds(
    lambda first, count, dropped, sent: header(first, count, dropped=dropped, sent=sent),
    small,
    st.integers(0, 4),
    small,
    small,
)
any_status = st.builds(
    lambda ordinal, dropped, sent, final: status(ordinal, dropped, sent, final=final),
    small,
    small,
    small,
    st.booleans(),
)


@given(st.lists(any_header | any_status))
def test_no_term_is_ever_negative(entries: list[BufferHeader | Status]) -> None:
    """For any receipts, the balance of their counts holds, without negative terms."""
    ledger = RingLedger()
    for entry in entries:
        if isinstance(entry, Status):
            ledger.status(entry)
        else:
            ledger.buffer(entry)
        assert ledger.balance.holds
    assert ledger.balance.delivered == ledger.delivered


@given(st.lists(any_status, max_size=1), st.lists(any_header), st.lists(any_header))
def test_any_headers_at_once_are_as_one_by_one(
    statuses: list[Status], first: list[BufferHeader], second: list[BufferHeader]
) -> None:
    one_by_one = ledger_of(*statuses, *first, *second)
    together = ledger_of(*statuses)
    fields = BUFFER_HEADER_DTYPE.names or ()
    for part in (first, second):
        rows = [tuple(getattr(entry, name) for name in fields) for entry in part]
        together.buffers(np.array(rows, BUFFER_HEADER_DTYPE))
    assert together == one_by_one


def test_two_receipts_for_one_ordinal() -> None:
    ledger = ledger_of(header(0, 10), status(10, 4, 6))
    assert ledger.problems()


def test_statuses_that_step_back() -> None:
    assert ledger_of(status(10, 0, 10), status(5, 0, 5)).problems()


@pytest.mark.parametrize("repeat", [False, True])
def test_many_headers_at_once_are_as_one_by_one(repeat: bool) -> None:  # noqa: FBT001 - a case
    rng = np.random.default_rng(5)
    entries = []
    ordinal = dropped = sent = 0
    for _ in range(300):
        lost = int(rng.integers(0, 4))
        ordinal += 3 * lost
        dropped += lost
        sent += lost
        count = int(rng.integers(0, 6))
        entries.append(header(ordinal, count, dropped=dropped, sent=sent))
        if repeat and rng.random() < 0.1:
            entries.append(entries[-1])
        ordinal += count
        sent += count
    one_by_one, together = ledger_of(*entries), at_once(*entries)
    assert together.balance == one_by_one.balance
    assert together.balance.overwritten > 0
    assert together.repeated == one_by_one.repeated
    assert together.problems() == one_by_one.problems()


def test_no_headers() -> None:
    assert at_once().balance == Balance()


@pytest.mark.parametrize("vectorised", [True, False])
def test_a_loss_that_nobody_counted_is_kept_apart(*, vectorised: bool) -> None:
    flags = [1, 0, 1, 1]  # a loss before the first buffer is not part of the balance
    rows = [(10 * number, 0, 10 * number, 0, 0, 10, 0, flag) for number, flag in enumerate(flags)]
    headers = np.array(rows, BUFFER_HEADER_DTYPE)
    ledger = RingLedger()
    for part in [headers] if vectorised else headers[:, None]:
        ledger.buffers(part)
    assert (ledger.unknown_losses, ledger.balance.lost, ledger.problems()) == (2, 0, ())
