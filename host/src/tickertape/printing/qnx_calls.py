"""Table of the kernel calls in trace files of QNX Neutrino 6.4: names, order and form of words.

Numbers, names and order are facts of that kernel; docs/kev.md gives the source. The table applies
only to files of QNX: calls of the reference kernel have other words, which `protocol/events.yaml`
declares.

The table has one line per call: `number NAME: words on entry -> words on exit`. A word is
`name:form`, with a leading `*` if it is one of the two words of fast mode. Forms: D decimal, H
hexadecimal, P pointer, Sn text of n words. INFO12, INFO13 and SCHED10 stand for several words; a
`*` then applies to the first of them. `-` stands for no words. A line that begins with blanks
continues the previous call.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_SCHED10: Final = (
    "sched_priority:D sched_curpriority:D ss_low_priority:D ss_max_repl:D ss_repl_period(sec):D "
    "ss_repl_period(nsec):D ss_init_budget(sec):D ss_init_budget(nsec):D empty:D empty:D"
)
_INFO12: Final = (
    "nd:D srcnd:D pid:D tid:D chid:D scoid:D coid:D msglen:D srcmsglen:D dstmsglen:D priority:D "
    "flags:H"
)
_SHORT: Final = {"SCHED10": _SCHED10, "INFO12": _INFO12, "INFO13": f"{_INFO12} reserved:H"}


@dataclass(frozen=True, slots=True)
class Argument:
    """A printed argument.

    Attributes:
        name: label before the value.
        form: D, H, P, E (64 bits, decimal), X (64 bits, hexadecimal), S (text of `words` words) or
            N (text up to the end).
        words: number of words; 0 for N.
        fast: whether it is one of the two words of fast mode.
    """

    name: str
    form: str
    words: int = 1
    fast: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A kernel call, with its words on entry and on exit."""

    name: str
    enter: tuple[Argument, ...]
    exit: tuple[Argument, ...]


EMPTY: Final = Argument("empty", "H", fast=True)


def arguments(text: str) -> tuple[Argument, ...]:
    """Parse words in the notation of the table."""
    found: list[Argument] = []
    for item in text.split():
        name, _, form = item.lstrip("*").rpartition(":")
        if item == "-":
            continue
        if form in _SHORT:
            several = list(arguments(_SHORT[form]))
            if item.startswith("*"):
                first = several[0]
                several[0] = Argument(first.name, first.form, first.words, fast=True)
            found += several
            continue
        words = {"E": 2, "X": 2, "N": 0}.get(form, 1)
        if form.startswith("S"):
            form, words = "S", int(form[1:])
        found.append(Argument(name, form, words, fast=item.startswith("*")))
    return tuple(found)


@cache
def qnx_calls() -> Mapping[int, Call]:
    """Return all calls by number."""
    calls = {}
    for line in _TABLE.strip().replace("\n  ", " ").splitlines():
        head, _, words = line.partition(": ")
        number, name = head.split()
        enter, _, leave = words.partition(" -> ")
        calls[int(number)] = Call(name, arguments(enter), arguments(leave))
    return calls


_TABLE: Final = """
0 NOP: *dummy:H -> -
1 TRACE_EVENT: *mode:H *class[header]:H event[time_off]:H data_1:H data_2:H -> *ret_val:H
2 RING0: *func_p:P *arg_p:P -> *ret_val:H
7 SYS_CPUPAGE_GET: *index:D -> *ret_val:H
8 SYS_CPUPAGE_SET: *index:D *value:H -> *ret_val:H
10 MSG_CURRENT: *rcvid:H -> -
11 MSG_SENDV: *coid:H sparts:D rparts:D *msg:S3 -> *status:D *rmsg:S3
12 MSG_SENDVNC: *coid:H sparts:D rparts:D *msg:S3 -> *ret_val:H *rmsg:S3
13 MSG_ERROR: *rcvid:H *err:D -> *ret_val:D
14 MSG_RECEIVEV: *chid:H *rparts:D -> *rcvid:H *rmsg:S3 INFO13
15 MSG_REPLYV: *rcvid:H sparts:D *status:H smsg:S3 -> *ret_val:D
16 MSG_READV: *rcvid:H rmsg_p:P rparts:D *offset:H -> *rbytes:D *rmsg:S3
17 MSG_WRITEV: *rcvid:H sparts:D *offset:H msg:S3 -> *wbytes:D
18 MSG_READWRITEV: *src_rcvid:H *dst_rcvid:H -> *msglen:D
19 MSG_INFO: *rcvid:H *info_p:P -> *ret_val:H *INFO12
20 MSG_SEND_PULSE: *coid:H priority:D *code:H value:H -> *status:D
21 MSG_DELIVER_EVENT: *rcvid:H *ev.notify:D ev.notify_function_p:P ev.value:H
  ev.notify_attributes_p:P -> *ret_val:H
22 MSG_KEYDATA: *rcvid:H *op:H -> *ret_val:H *newkey:D
23 MSG_READIOV: *rcvid:H parts:D *offset:H flags:H -> *rbytes:D *rmsg:S3
24 MSG_RECEIVEPULSEV: *chid:H *rparts:D -> *rcvid:H *rmsg:S3 INFO13
25 MSG_VERIFY_EVENT: *rcvid:H *ev.notify:D ev.notify_function_p:P ev.value:H
  ev.notify_attributes_p:P -> *status:D
26 SIGNAL_KILL: nd:H *pid:D tid:D *signo:D code:H value:H -> *ret_val:D
27 SIGNAL_RETURN: *s_p:P -> *ret_val:H
28 SIGNAL_FAULT: *sigcode:D *addr:P -> *ret_val:H *reg_1:H reg_2:H reg_3:H reg_4:H reg_5:H
29 SIGNAL_ACTION: pid:D sigstub_p:P *signo:D *act->sa_handler_p:P act->sa_flags:H
  act->sa_mask.bits[0]:H act->sa_mask.bits[1]:H -> *ret_val:H *oact->sa_handler_p:P
  oact->sa_flags:H oact->sa_mask.bits[0]:H oact->sa_mask.bits[1]:H
30 SIGNAL_PROCMASK: *pid:D *tid:D how:H sig_blocked->bits[0]:H sig_blocked->bits[1]:H ->
  *ret_val:D *old_sig_blocked->bits[0]:H old_sig_blocked->bits[1]:H
31 SIGNAL_SUSPEND: *sig_blocked->bits[0]:H *sig_blocked->bits[1]:H -> *ret_val:H *sig_blocked_p:P
32 SIGNAL_WAITINFO: *sig_wait->bits[0]:H *sig_wait->bits[1]:H -> *sig_num:D si_signo:D *si_code:D
  si_errno:D p[0]:D p[1]:D p[2]:D p[3]:D p[4]:D p[5]:D p[6]:D
35 CHANNEL_CREATE: *flags:H -> *chid:H
36 CHANNEL_DESTROY: *chid:H -> *ret_val:H
37 CHANCON_ATTR: *chid:D *flags:H -> *chid:D *flags:H
39 CONNECT_ATTACH: *nd:H *pid:D chid:H index:D flags:H -> *coid:H
40 CONNECT_DETACH: *coid:H -> *ret_val:H
41 CONNECT_SERVER_INFO: *pid:D *coid:H -> *coid:H *INFO13
42 CONNECT_CLIENT_INFO: *scoid:H *ngroups:D -> *ret_val:H *i.nd:D i.pid:D i.sid:D flags:H i.ruid:D
  i.euid:D i.suid:D i.rgid:D i.egid:D i.sgid:D i.ngroups:D i.grouplist[0..7]:D
43 CONNECT_FLAGS: pid:D *coid:H masks:H *bits:H -> *old_flags:H
46 THREAD_CREATE: pid:D *func_p:P *arg_p:P flags:H stacksize:D stackaddr_p:P exitfunc_p:P policy:D
  SCHED10 guardsize:D -> *thread_id:H *owner:H
47 THREAD_DESTROY: *tid:D priority:D *status_p:P -> *ret_val:H
48 THREAD_DESTROYALL: - -> *ret_val:H
49 THREAD_DETACH: *tid:D -> *ret_val:H
50 THREAD_JOIN: *tid:D *status_p:P -> *ret_val:H *status_p:P
51 THREAD_CANCEL: *tid:D *canstub_p:P -> *ret_val:H
52 THREAD_CTL: *cmd:H *data_p:P -> *ret_val:H
55 INTERRUPT_ATTACH: *intr:D handler_p:P area_p:P areasize:D *flags:H -> *int_fun_id:H
56 INTERRUPT_DETACH_FUNC: *intr:D *handler_p:P -> *ret_val:D
57 INTERRUPT_DETACH: *id:D -> *ret_val:D
58 INTERRUPT_WAIT: *flags:H *timeout_tv_sec:D timeout_tv_nsec:D -> *ret_val:D
59 INTERRUPT_MASK: *intr:D *id:D -> *mask_level:H
60 INTERRUPT_UNMASK: *intr:D *id:D -> *mask_level:H
65 CLOCK_TIME: *id:D *new(sec):D new(nsec):D -> *ret_val:D *old(sec):D old(nsec):D
66 CLOCK_ADJUST: *id:D *new->tick_count:D new->tick_nsec_inc:D -> *ret_val:D *old->tick_count:D
  old->tick_nsec_inc:D
67 CLOCK_PERIOD: *id:D *new->nsec:D new->fract:D -> *ret_val:D *old->nsec:D old->fract:D
68 CLOCK_ID: *pid:D *tid:D -> *ret_val:H
70 TIMER_CREATE: *id:H *ev.notify:D ev.notify_function_p:P ev.value:H ev.notify_attributes_p:P ->
  *timer_id:H
71 TIMER_DESTROY: *id:H -> *ret_val:H
72 TIMER_SETTIME: *id:H flags:H *itime->nsec(sec):D itime->nsec(nsec):D
  itime->interval_nsec(sec):D itime->interval_nsec(nsec):D -> *ret_val:H *oitime->nsec(sec):D
  oitime->nsec(nsec):D oitime->interval_nsec(sec):D oitime->interval_nsec(nsec):D
73 TIMER_INFO: *pid:D *id:H flags:H info_p:P -> *prev_id:D *i.itime.nsec(sec):D
  i.itime.nsec(nsec):D i.itime.interval_nsec(sec):D i.itime.interval_nsec(nsec):D
  i.otime.nsec(sec):D i.otime.nsec(nsec):D i.otime.interval_nsec(sec):D
  i.otime.interval_nsec(nsec):D i.flags:D i.tid:D i.notify:D i.clockid:D i.overruns:D
  i.event.sigev_notify:D i.event.sigev_notify_function_p:P i.event.sigev_value:H
  i.event.sigev_notify_attributes_p:P
74 TIMER_ALARM: *id:H *itime->nsec(sec):D itime->nsec(nsec):D itime->interval_nsec(sec):D
  itime->interval_nsec(nsec):D -> *ret_val:H *oitime->nsec(sec):D oitime->nsec(nsec):D
  oitime->interval_nsec(sec):D oitime->interval_nsec(nsec):D
75 TIMER_TIMEOUT: id:D *timeout_flags:H *ntime(sec):D ntime(nsec):D ev.notify:D
  ev.notify_function_p:P ev.value:H ev.notify_attributes_p:P -> *prev_timeout_flags:H
  *otime(sec):D otime(nsec):D
78 SYNC_CREATE: *type:D *sync_p:P count:D owner:D protocol:D flags:H prioceiling:D clockid:D ->
  *ret_val:D
79 SYNC_DESTROY: *sync_p:P count:D *owner:D -> *ret_val:D
80 SYNC_MUTEX_LOCK: *sync_p:P count:D *owner:D -> *ret_val:D
81 SYNC_MUTEX_UNLOCK: *sync_p:P count:D *owner:D -> *ret_val:D
82 SYNC_CONDVAR_WAIT: *sync_p:P *mutex_p:P sync->count:D sync->owner:D mutex->count:D
  mutex->owner:D -> *ret_val:D
83 SYNC_CONDVAR_SIGNAL: *sync_p:P *all:D sync->count:D sync->owner:D -> *ret_val:D
84 SYNC_SEM_POST: *sync_p:P *count:D owner:D -> *ret_val:H
85 SYNC_SEM_WAIT: *sync_p:P try:D *count:D owner:D -> *ret_val:D
86 SYNC_CTL: *cmd:D *sync_p:P data_p:P count:D owner:D -> *ret_val:D
87 SYNC_MUTEX_REVIVE: *sync_p:P count:D *owner:D -> *ret_val:D
88 SCHED_GET: *pid:D *tid:D -> *ret_val:D *SCHED10
89 SCHED_SET: *pid:D tid:D policy:D *SCHED10 -> *ret_val:D
90 SCHED_YIELD: - -> *ret_val:H
91 SCHED_INFO: *pid:D *policy:D -> *ret_val:D priority_min:D *priority_max:D interval_sec:D
  interval_nsec:D priority_priv:D
92 SCHED_CTL: *cmd:H -> -
93 NET_CRED: *coid:H *info_p:P -> *ret_val:D *i.nd:D i.pid:D i.sid:D i.flags:H i.ruid:D i.euid:D
  i.suid:D i.rgid:D i.egid:D i.sgid:D i.ngroups:D i.grouplist[0..7]:D
94 NET_VTID: *vtid:D *info_p:P tid:D coid:H priority:D srcmsglen:D keydata:H srcnd:D dstmsglen:D
  zero:D -> *ret_val:H
95 NET_UNBLOCK: *vtid:H -> *ret_val:H
96 NET_INFOSCOID: *scoid:H *infoscoid:H -> *ret_val:H
97 NET_SIGNAL_KILL: cred->ruid:D cred->euid:D nd:H *pid:D tid:D *signo:D code:H value:H ->
  *status:D
101 BAD: - -> *ret_val:H
"""
