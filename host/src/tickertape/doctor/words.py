"""Describe faults of a line in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tickertape.doctor.report import Diagnosis, Kind, Sure

if TYPE_CHECKING:
    from tickertape.doctor.line import Fit

_RATES: Final = (
    *(300, 600, 1200, 2400, 4800, 9600, 14_400, 19_200, 38_400, 57_600, 76_800, 115_200, 230_400),
    *(250_000, 460_800, 500_000, 576_000, 921_600, 1_000_000, 1_500_000, 2_000_000, 3_000_000),
    *(4_000_000, 6_000_000, 8_000_000, 12_000_000),
)
_NEAR: Final = 0.03
_SLIGHT: Final = 0.15
_8N1: Final = "8 data bits, no parity, 1 stop bit"


def of_line(fit: Fit, baud: int | None, *, in_packets: bool) -> Diagnosis:
    """Describe a fault and its remedy.

    Args:
        fit: the fault.
        baud: symbols per second of the receiver; None if unknown.
        in_packets: the line is a SWO pin.
    """
    sure = Sure.LIKELY if fit.likely else Sure.POSSIBLE
    fault = fit.fault
    if fault.kind is Kind.RATE:
        return _of_rate(fault.factor, sure, baud, in_packets=in_packets)
    if fault.kind is Kind.PARITY:
        what = f"the target sends {fault.detail} parity after 8 data bits"
        return Diagnosis(Kind.PARITY, sure, what, f"set the target to {_8N1}")
    if fault.kind is Kind.DATA_BITS:
        parity = "no" if fault.detail == "none" else fault.detail
        what = f"the target sends 7 data bits and {parity} parity"
        return Diagnosis(Kind.DATA_BITS, sure, what, f"set the target to {_8N1}")
    if fault.kind is Kind.INVERTED:
        mend = "turn off TXINV or the inverter, or put a driver between RS-232 and logic levels"
        return Diagnosis(Kind.INVERTED, sure, "the levels of the line are inverted", mend)
    what = "the SWO pin is Manchester coded"
    mend = "choose NRZ: TPIU SPPR (0xE00400F0) = 2; OpenOCD: -protocol uart"
    return Diagnosis(Kind.MANCHESTER, sure, what, mend)


def _of_rate(factor: float, sure: Sure, baud: int | None, *, in_packets: bool) -> Diagnosis:
    slight = abs(factor - 1) < _SLIGHT
    percent = f"{100 * abs(factor - 1):.0f} %"
    if slight:
        what = f"the target sends {percent} {'faster' if factor > 1 else 'slower'} than"
        here = f"receive at a rate that is {percent} {'higher' if factor > 1 else 'lower'}"
    else:
        what = f"the target sends at {_times(factor)} the rate at which"
        here = f"receive at {_times(factor)} the rate"
    what += " this side receives"
    if baud is not None:
        what += f", about {_rate(baud * factor)} baud"
        here = f"receive at {_rate(baud * factor)} baud"
    if in_packets:
        scaled = "a few per cent" if slight else f"times {factor:.3g}"
        other = f"change the prescaler of the pin: TPIU ACPR + 1 (0xE0040010) {scaled}"
    else:
        other = "correct the target's divider, which needs the clock that the UART has"
    return Diagnosis(Kind.RATE, sure, what, f"{here}, or {other}", factor)


def _times(factor: float) -> str:
    return f"{factor:.3g} times" if factor > 1 else f"1/{1 / factor:.3g} of"


def _rate(baud: float) -> str:
    near = min(_RATES, key=lambda one: abs(one / baud - 1))
    value = near if abs(near / baud - 1) < _NEAR else round(baud)
    return f"{value:,}".replace(",", " ")
