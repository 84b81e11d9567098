"""The members of a `Tape` agree with each other, for every kind of tape."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import tickertape
from tests.api.tapes import KINDS
from tickertape.formats.registry import conversions

if TYPE_CHECKING:
    from pathlib import Path

    from tests.api.tapes import Tapes

pytestmark = pytest.mark.parametrize("kind", KINDS)


def test_the_summary_counts_what_iteration_yields(tapes: Tapes, kind: str) -> None:
    with tickertape.open(tapes(kind)) as opened:
        found, every = opened.summary(), list(opened)
        assert found.events == len(every) == opened.counters.events
        assert sum(found.classes.values()) == len(every)
        assert found.epochs == len({boot.epoch for boot in found.boots})


def test_the_balance_holds_in_sum_and_by_ring(tapes: Tapes, kind: str) -> None:
    with tickertape.open(tapes(kind)) as opened:
        total = opened.balance.total
        assert total.offered == total.delivered + total.overwritten + total.dropped + total.damaged
        assert total.offered == sum(ring.balance.offered for ring in opened.balance.rings)
        assert opened.balance is opened.balance


def test_laws_have_a_judgement_each(tapes: Tapes, kind: str) -> None:
    with tickertape.open(tapes(kind)) as opened:
        judged = opened.laws()
        assert set(judged) == set(tickertape.Law)
        assert all(one.verdict in tickertape.LawVerdict for one in judged.values())


def test_times_of_events_are_those_of_the_tape(tapes: Tapes, kind: str) -> None:
    with tickertape.open(tapes(kind)) as opened:
        for event in opened:
            assert opened.time_ns(event) == event.time_ns
            if not opened.boards:
                assert opened.utc_ns(event) is None


def test_statistics_are_of_each_boot(tapes: Tapes, kind: str) -> None:
    with tickertape.open(tapes(kind)) as opened:
        boots = [one.epoch for one in opened.stats()]
        assert boots == sorted(set(boots))
        assert {event.epoch for event in opened} <= set(boots)


def test_losses_are_in_the_columns_of_every_choice(tapes: Tapes, kind: str) -> None:
    with tickertape.open(tapes(kind)) as opened:
        all_gaps = sum(gap.lost for part in opened.columns() for gap in part.gaps)
        chosen = sum(gap.lost for part in opened.columns(domains=63) for gap in part.gaps)
        assert chosen == all_gaps


def test_a_page_of_a_notebook_shows_the_balance(tapes: Tapes, kind: str) -> None:
    with tickertape.open(tapes(kind)) as opened:
        page = opened._repr_html_()
        assert "<table" in page
        assert f"{opened.path.name}" in page
    assert "closed" in opened._repr_html_()


def test_a_parser_meets_the_same_events(tapes: Tapes, kind: str) -> None:
    parser, met = tickertape.Parser(), list[tickertape.Event]()
    parser.on()(met.append)
    report = parser.run(tapes(kind))
    with tickertape.open(tapes(kind)) as opened:
        assert met == list(opened)
    assert report.events == report.calls == len(met)


def test_each_export_leaves_the_tape_as_it_was(tapes: Tapes, kind: str, tmp_path: Path) -> None:
    before = tapes(kind).read_bytes()
    with tickertape.open(tapes(kind)) as opened:
        for form in conversions("EXPORTS"):
            try:
                report = opened.export(form, tmp_path / form)
            except tickertape.UsageError:
                continue  # the tape has no events that this format can contain
            assert isinstance(report, tickertape.Report)
            assert (tmp_path / form).exists()
    assert tapes(kind).read_bytes() == before
