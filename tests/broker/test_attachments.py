"""Readers of streams: a stream without readers is detached once."""

from __future__ import annotations

from tickertape.broker.attachments import Attachments

ONE, OTHER, THIRD = "one", "another", "a third"


def test_the_last_reader_leaves_the_stream() -> None:
    attachments = Attachments()
    attachments.add(b"s", 1, ONE, for_good=False)
    attachments.add(b"s", 1, OTHER, for_good=False)
    attachments.add(b"t", 1, OTHER, for_good=False)
    assert attachments.remove(ONE) == []
    assert attachments.remove(THIRD) == []
    assert sorted(attachments.remove(OTHER)) == [b"s", b"t"]
    assert attachments.remove(OTHER) == []


def test_what_is_attached_for_good_is_left_when_somebody_says_so() -> None:
    attachments = Attachments()
    attachments.add(b"s", 1, ONE, for_good=True)
    attachments.add(b"s", 1, OTHER, for_good=False)
    assert attachments.remove(OTHER) == []
    assert attachments.release(b"s")
    assert attachments.release(b"unknown")
    attachments.add(b"s", 1, ONE, for_good=True)
    attachments.add(b"s", 1, OTHER, for_good=False)
    assert not attachments.release(b"s")
    assert attachments.remove(OTHER) == [b"s"]


def test_a_stream_that_was_made_again_is_another_one() -> None:
    attachments = Attachments()
    attachments.add(b"s", 1, ONE, for_good=True)
    attachments.add(b"s", 1, OTHER, for_good=False)
    attachments.add(b"s", 2, THIRD, for_good=False)
    assert attachments.remove(OTHER) == []
    assert attachments.remove(THIRD) == [b"s"]


def test_at_the_end_only_what_was_attached_for_good_stays() -> None:
    attachments = Attachments()
    attachments.add(b"s", 1, ONE, for_good=True)
    attachments.add(b"t", 1, OTHER, for_good=False)
    assert attachments.clear() == [b"t"]
    assert attachments.clear() == []
