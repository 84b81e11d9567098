"""The verbs of `tickertape control`: the arguments and the action of each.

`plan` parses all words before the link is opened, so that a wrong word executes no part of a verb.
It returns a function that executes the verb and yields a line after each step.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tickertape.cli.control_screen import (
    classes_to_json,
    show_classes,
    show_status,
    status_to_json,
)
from tickertape.cli.control_words import (
    ALL,
    check_names,
    classes_in,
    events_in,
    number_of,
    spans_in,
    word_of,
)
from tickertape.errors import UsageError
from tickertape.model.codes import thread_id
from tickertape.protocol.lookup import class_name, event_type
from tickertape.protocol.wire import ObjectKind, Policy

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from tickertape.control import ControlClient

    Act = Callable[[ControlClient], Iterable[str]]

_CLASSES: Final = "classes: SCHED, APP16, their numbers, or all"
_EVENTS: Final = "events: THREAD.READY, READY, MUTEX_*, APP16.5, 6.7; a number alone is of USER"
_WHAT: Final = "classes by name, events as in add-event, or all"
_POLICIES: Final = {"ring": Policy.OVERWRITE, "linear": Policy.UNTIL_FULL, "drop": Policy.DROP}
_SIMPLE_WORDS: Final = 2
_CLASS_BITS: Final = 0xFFFF_FFFF


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb of `tickertape control`.

    Attributes:
        help: text of `--help`.
        declare: declares the options of the verb.
        plan: parses the options and returns the function that executes the verb.
    """

    help: str
    declare: Callable[[argparse.ArgumentParser], None]
    plan: Callable[[argparse.Namespace], Act]


def _nothing(parser: argparse.ArgumentParser) -> None:
    """Declare no options."""


def _words(name: str, text: str) -> Callable[[argparse.ArgumentParser], None]:
    def declare(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("words", metavar=name, nargs="+", help=text)

    return declare


def _json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON object, for programs")


def _simple(do: Callable[[ControlClient], None]) -> Callable[[argparse.Namespace], Act]:
    """Return the plan of a verb without words."""

    def plan(arguments: argparse.Namespace) -> Act:
        def act(client: ControlClient) -> Iterator[str]:
            do(client)
            yield f"{arguments.verb}: done"

        return act

    return plan


def _declare_start(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-state", action="store_true", help="without the state dump")


def _plan_start(arguments: argparse.Namespace) -> Act:
    return _simple(lambda client: client.start(state=not arguments.no_state))(arguments)


def _plan_status(arguments: argparse.Namespace) -> Act:
    def act(client: ControlClient) -> Iterator[str]:
        status = client.status()
        if arguments.json:
            print(json.dumps(status_to_json(status), indent=2))
        else:
            show_status(status)
        yield from ()

    return act


def _plan_classes(arguments: argparse.Namespace) -> Act:
    def act(client: ControlClient) -> Iterator[str]:
        selection = client.classes()
        if arguments.json:
            print(json.dumps(classes_to_json(selection, client.stream), indent=2))
        else:
            show_classes(selection, client.stream)
        yield from ()

    return act


def _plan_class(arguments: argparse.Namespace) -> Act:
    words: list[str] = arguments.words
    take = arguments.verb == "add-class"
    everything = any(word.lower() == ALL for word in words)
    numbers = [] if everything else classes_in(words)

    def act(client: ControlClient) -> Iterator[str]:
        if everything:
            client.select_all(take=take)
            yield f"{arguments.verb} {ALL}: done"
            return
        check_names(client, words)
        for number in numbers:
            client.select_class(number, take=take)
            yield f"{arguments.verb} {class_name(number)}: done"

    return act


_WITH_OTHERS = (
    ", with all other events of class {} that the dictionary does not list; build the target with"
    " TT_CONFIG_EVENT_MASKS to select them one by one"
)


def _plan_event(arguments: argparse.Namespace) -> Act:
    events = events_in(arguments.words)

    def act(client: ControlClient) -> Iterator[str]:
        check_names(client, arguments.words)
        for event in events:
            alone = client.select_event(event.cls, event.event, take=arguments.verb == "add-event")
            others = "" if alone else _WITH_OTHERS.format(class_name(event.cls))
            yield f"{arguments.verb} {event.label}: done{others}"

    return act


def _plan_form(arguments: argparse.Namespace) -> Act:
    spans = spans_in(arguments.words)

    def act(client: ControlClient) -> Iterator[str]:
        check_names(client, arguments.words)
        for span in spans:
            client.set_wide(span.cls, span.event, wide=arguments.verb == "wide")
            yield f"{arguments.verb} {span.label}: done"

    return act


def _declare_pid(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", metavar="EVENTS", help=_WHAT)
    parser.add_argument(
        "pid", metavar="PID", help="number or name of a domain; any removes the filter"
    )


def _plan_pid(arguments: argparse.Namespace) -> Act:
    spans = spans_in([arguments.what])

    def act(client: ControlClient) -> Iterator[str]:
        check_names(client, [arguments.what])
        pid = number_of(client, ObjectKind.DOMAIN, arguments.pid)
        for span in spans:
            client.set_thread_filter(span.cls, span.event, pid=pid)
            yield f"set-pid {span.label} {pid or 'any'}: done"

    return act


def _declare_tid(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", metavar="EVENTS", help=_WHAT)
    parser.add_argument(
        "tid", metavar="TID", help="number or name of a thread; any removes the filter"
    )
    parser.add_argument(
        "pid", nargs="?", default="any", metavar="PID", help="and only of this domain"
    )


def _plan_tid(arguments: argparse.Namespace) -> Act:
    spans = spans_in([arguments.what])

    def act(client: ControlClient) -> Iterator[str]:
        check_names(client, [arguments.what])
        tid = number_of(client, ObjectKind.THREAD, arguments.tid)
        pid = number_of(client, ObjectKind.DOMAIN, arguments.pid)
        for span in spans:
            client.set_thread_filter(span.cls, span.event, pid=pid, tid=tid)
            yield f"set-tid {span.label} {thread_id(tid) if tid else 'any'}: done"

    return act


def _plan_policy(arguments: argparse.Namespace) -> Act:
    return _simple(lambda client: client.set_policy(_POLICIES[arguments.verb]))(arguments)


def _plan_packing(arguments: argparse.Namespace) -> Act:
    return _simple(lambda client: client.set_packing(packed=arguments.verb == "packed"))(arguments)


def _declare_shed(parser: argparse.ArgumentParser) -> None:
    _words("CLASS", "classes, or none to end it")(parser)
    parser.add_argument(
        "--below",
        type=int,
        default=2,
        metavar="N",
        help="while fewer than N buffers of a ring are free (default: 2)",
    )


def _plan_shed(arguments: argparse.Namespace) -> Act:
    words: list[str] = arguments.words
    none = [word.lower() for word in words] == ["none"]
    numbers = [] if none else classes_in(words)
    mask = sum(1 << number for number in numbers) & _CLASS_BITS
    if not 0 <= arguments.below <= _CLASS_BITS:
        raise UsageError(f"--below cannot be {arguments.below}", "give a number from 0")

    def act(client: ControlClient) -> Iterator[str]:
        if not none:
            check_names(client, words)
        client.set_shedding(mask, 0 if none else arguments.below)
        yield f"shed {' '.join(map(class_name, numbers)) or 'none'}: done"

    return act


def _declare_insert(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what", metavar="EVENT", help="APP16.5, SYSTEM.SLOG, 6.7; a number alone is of USER"
    )
    parser.add_argument(
        "values",
        metavar="VALUE",
        nargs="*",
        default=[],
        help="at most two words, such as 12, -1, 0xbeef; or a text, after the event's own words",
    )


def _plan_insert(arguments: argparse.Namespace) -> Act:
    events = events_in([arguments.what])
    if len(events) != 1:
        raise UsageError(
            f"{arguments.what} matches {len(events)} events", "name one, as CLASS.EVENT"
        )
    (event,) = events
    words, text = _payload(
        arguments.values, has_text=event_type(event.cls, event.event).payload != ""
    )

    def act(client: ControlClient) -> Iterator[str]:
        check_names(client, [arguments.what])
        streams = client.insert(event.cls, event.event, words, text)
        if streams:
            yield f"insert {event.label}: done"
        else:
            yield f"insert {event.label}: done, but no stream that runs records {event.label} now"

    return act


def _declare_attach(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="public name of a stream")


def _plan_attach(arguments: argparse.Namespace) -> Act:
    def act(client: ControlClient) -> Iterator[str]:
        number = client.attach(arguments.name)
        yield f"attach {arguments.name}: stream {number}"

    return act


def _plan_detach(arguments: argparse.Namespace) -> Act:
    def act(client: ControlClient) -> Iterator[str]:
        client.detach(arguments.name)
        yield f"detach {arguments.name}: done"

    return act


def _payload(values: list[str], *, has_text: bool) -> tuple[list[int], str | None]:
    """Split the values of an event: words, then a text if the last one is not a number.

    Raises:
        UsageError: there are too many values, or a text in place of a number.
    """
    text: str | None = None
    numbers = [word_of(value) for value in values]
    if values and (has_text or numbers[-1] is None):
        text, numbers = values[-1], numbers[:-1]
    words = [number for number in numbers if number is not None]
    if len(words) < len(numbers) or (text is None and len(words) > _SIMPLE_WORDS):
        raise UsageError(
            f"{' '.join(values)!r} are not values of an event",
            "give at most two numbers, or numbers and then one text in quotes",
        )
    return words, text


VERBS: Final[Mapping[str, Verb]] = {
    "start": Verb("start recording, with a state dump", _declare_start, _plan_start),
    "stop": Verb("stop recording", _nothing, _simple(lambda c: c.stop())),
    "flush": Verb("send partly filled buffers now", _nothing, _simple(lambda c: c.flush())),
    "status": Verb("show state and losses of the stream", _json, _plan_status),
    "classes": Verb("list the recorded classes", _json, _plan_classes),
    "add-class": Verb("record these classes", _words("CLASS", _CLASSES), _plan_class),
    "del-class": Verb("do not record these classes", _words("CLASS", _CLASSES), _plan_class),
    "add-event": Verb("record these events", _words("EVENT", _EVENTS), _plan_event),
    "del-event": Verb("do not record these events", _words("EVENT", _EVENTS), _plan_event),
    "set-pid": Verb("record these events of one domain only", _declare_pid, _plan_pid),
    "set-tid": Verb("record these events of one thread only", _declare_tid, _plan_tid),
    "fast": Verb("record these events in one record each", _words("EVENT", _WHAT), _plan_form),
    "wide": Verb("record these events with all arguments", _words("EVENT", _WHAT), _plan_form),
    "ring": Verb("keep the newest records when the rings are full", _nothing, _plan_policy),
    "linear": Verb("stop when the rings are full", _nothing, _plan_policy),
    "drop": Verb("keep the oldest records when the rings are full", _nothing, _plan_policy),
    "insert": Verb("record an event", _declare_insert, _plan_insert),
    "attach": Verb("send the records of a named stream", _declare_attach, _plan_attach),
    "detach": Verb("stop sending a named stream", _declare_attach, _plan_detach),
    "shed": Verb("drop these classes first when buffers are short", _declare_shed, _plan_shed),
    "packed": Verb("send packed buffers", _nothing, _plan_packing),
    "raw": Verb("send raw buffers", _nothing, _plan_packing),
}
