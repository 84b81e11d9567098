"""One command after another on a link with scripted bytes."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from tests.support.control_target import REPLY, Target, reply
from tests.support.wire_bytes import HELLO, STATUS, frame, hello_body
from tickertape.control import ControlClient
from tickertape.control.channel import LinkChannel
from tickertape.control.exchange import Exchange
from tickertape.decode.commands import Reply, Request
from tickertape.errors import (
    CommandRefused,
    LinkLost,
    LinkSilent,
    ProtocolMismatch,
    UsageError,
)
from tickertape.protocol.wire import Command, Policy

if TYPE_CHECKING:
    from collections.abc import Callable

ID_LIMIT = 1 << 32


def client_of(target: Target) -> ControlClient:
    return ControlClient(LinkChannel(target), patience_s=0.3, retry_s=0.02)


def test_a_command_looks_as_the_specification_says() -> None:
    target = Target(reply)
    exchange = Exchange(LinkChannel(target), first_id=ID_LIMIT - 1)
    answer = exchange.carry_out(Request(Command.ADD_EVENT, 3, (6, 7)))
    assert answer == Reply(ID_LIMIT - 1, Command.ADD_EVENT, 3, 0)
    body = struct.pack("<IBBHIIII", ID_LIMIT - 1, 11, 3, 0, 6, 7, 0, 0)
    assert bytes(target.written) == b"\0" + frame(5, 0, 0, 0, body)
    exchange.carry_out(Request(Command.STOP))
    # Id 0 means "no command", so the id after the last one is 1.
    assert [number for number, _ in target.requests] == [ID_LIMIT - 1, 1]


def test_two_clients_begin_with_different_ids() -> None:
    target = Target(reply)
    for _ in range(5):
        client_of(target).stop()
    assert len({number for number, _ in target.requests}) == 5


def test_silence_is_given_up_and_the_doubt_is_told() -> None:
    target = Target(lambda _number, _request: b"")
    with pytest.raises(
        LinkSilent, match=r"did not answer stop within 0\.3 s; it is unknown whether"
    ):
        client_of(target).stop()
    assert len(target.requests) > 2
    assert len({number for number, _ in target.requests}) == 1
    with pytest.raises(LinkSilent) as caught:
        client_of(target).status()
    assert "took effect" not in caught.value.problem  # STATUS changes nothing in the target


def test_only_its_own_reply_counts() -> None:
    def answer(number: int, request: Request) -> bytes:
        others = (
            reply(number + 1, request) + reply(number, Request(99)) + frame(REPLY, 0, 0, 0, b"x")
        )
        return others if len(target.requests) < 3 else reply(number, request)

    target = Target(answer)
    client_of(target).stop()
    assert len(target.requests) == 3


def test_a_flood_of_other_frames_does_not_hold_up_the_end() -> None:
    flood = frame(STATUS, 0, 0, 0, b"short") * 100
    target = Target(lambda _number, _request: flood)
    read = target.read

    def endless(max_bytes: int, timeout_s: float) -> bytes:
        target.feed(flood)
        return read(max_bytes, timeout_s)

    target.read = endless  # type: ignore[method-assign] # the link never ends
    with pytest.raises(LinkSilent):
        client_of(target).stop()


def test_a_link_that_ends_is_lost() -> None:
    target = Target(lambda _number, _request: b"")
    target.end()
    with pytest.raises(LinkLost, match="has ended"):
        client_of(target).stop()


@pytest.mark.parametrize(
    ("status", "ask", "words"),
    [
        (1, lambda client: client.stop(), "refused stop: it has no stream 0"),
        (1, lambda client: client.select_class(6, take=True), "out of its range"),
        (2, lambda client: client.set_policy(Policy.DROP), "records.*stop it first"),
        (2, lambda client: client.set_thread_filter(6, 7, tid=3), "all its filters"),
        (2, lambda client: client.start(), "not ready"),
        (2, lambda client: client.set_packing(packed=True), "without packed buffers"),
        (2, lambda client: client.flush(), "not possible now"),
        (3, lambda client: client.insert(6, 7, text="x"), "does not know this command"),
        (77, lambda client: client.flush(), r"an unknown reason \(status 77\)"),
    ],
)
def test_a_refusal_has_its_reason(
    status: int, ask: Callable[[ControlClient], object], words: str
) -> None:
    target = Target(lambda number, request: reply(number, request, status))
    with pytest.raises(CommandRefused, match=words) as caught:
        ask(client_of(target))
    assert caught.value.exit_code == 8
    assert len(target.requests) == 1


def test_a_server_may_have_had_no_answer_itself() -> None:
    target = Target(lambda number, request: reply(number, request, 4))
    with pytest.raises(LinkSilent, match="the program that shares its link; it is unknown whether"):
        client_of(target).stop()


def test_another_protocol_is_refused() -> None:
    hello = frame(HELLO, 0, 0, 0, hello_body(major=2))
    target = Target(lambda number, request: hello + reply(number, request))
    with pytest.raises(ProtocolMismatch, match="protocol 2"):
        client_of(target).stop()


def test_words_before_a_text_have_the_targets_byte_order() -> None:
    hello = frame(HELLO, 0, 0, 0, hello_body(byte_order=">"))
    target = Target(lambda number, request: hello + reply(number, request, 0, (1, 0)))
    assert client_of(target).insert(5, 12, [1, 2], "hé") == 1
    assert target.requests[-1][1].payload == struct.pack(">II", 1, 2) + "hé".encode()
    with pytest.raises(UsageError, match="193 bytes are too many"):
        client_of(target).insert(6, 7, text="x" * 193)


def test_counters_that_do_not_come_through_are_asked_for_again() -> None:
    hello = frame(HELLO, 0, 0, 0, hello_body(cpus=2))
    status = struct.pack("<QQQQQQQBBBBI12x", 9, 1, 8, 9, 1, 0, 50, 2, 1, 1, 0, 3)

    def answer(number: int, request: Request) -> bytes:
        cpus = (0,) if len(target.requests) == 1 else (0, 1)
        told = b"".join(frame(STATUS, 0, cpu, 0, status) for cpu in cpus)
        return reply(number, request, 0, (1, 2)) + hello + told

    target = Target(answer)
    found = client_of(target).status()
    assert len(target.requests) == 2
    assert (found.running, found.policy, sorted(found.rings)) == (True, Policy.DROP, [0, 1])
    assert found.rings[1].dropped == 1
