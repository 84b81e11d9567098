*** Settings ***
Documentation       Commands over the trace's link while the target runs.
Resource            tickertape.resource
Test Tags           control

*** Test Cases ***
Commands Should Select What Is Recorded
    Create Target    first_tape    chosen.tape    duration_ms=20000    control=${TAPES}/control
    Start Emulation
    Send Control    status
    Send Control    del-class    SCHED
    ${classes}=    Send Control    classes
    Should Match Regexp    ${classes}    SCHED +none
    Should Match Regexp    ${classes}    USER +every
    Target Should End
    Balance Should Be Exact    ${TAPES}/chosen.tape

A Stopped Stream Should Record Nothing
    Create Target    first_tape    stopped.tape    duration_ms=20000    control=${TAPES}/control2
    Start Emulation
    Send Control    stop
    Send Control    flush
    Target Should End
    Balance Should Be Exact    ${TAPES}/stopped.tape
    ${count}=    Get Event Count    ${TAPES}/stopped.tape    TRACER.STOP
    Should Be True    ${count} > 0
