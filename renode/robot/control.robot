*** Settings ***
Documentation       Commands of the host over the trace link while the target runs.
Resource            tickertape.resource
Test Tags           control

*** Variables ***
# In the target's time, which may pass faster than the host's: long enough for the commands.
${LASTS_MS}         20000

*** Test Cases ***
Commands Should Select What Is Recorded
    Create Target    first_tape    chosen.tape    duration_ms=${LASTS_MS}    control=${TAPES}/control
    Start Emulation
    Send Control    status
    Send Control    del-class    SCHED
    ${classes}=    Send Control    classes
    Should Match Regexp    ${classes}    SCHED +none
    Should Match Regexp    ${classes}    USER +every
    Target Should End
    Balance Should Be Exact    ${TAPES}/chosen.tape

A Filter Should Record One Thread Only
    [Documentation]    USER_1 (sample) is recorded by the thread sensor, USER_2 (report) by the thread report.
    Create Target    first_tape    filtered.tape    duration_ms=${LASTS_MS}    control=${TAPES}/control3
    Start Emulation
    Send Control    set-tid    USER    report
    Send Control    insert    APP16.5    7
    Target Should End
    Balance Should Be Exact    ${TAPES}/filtered.tape
    ${text}=    Print Tape    ${TAPES}/filtered.tape
    ${_}    ${after}=    Evaluate    $text.split('APP16 ', 1)
    Should Contain    ${after}    USER_2
    Should Not Contain    ${after}    USER_1

A Stopped Stream Should Record Nothing
    Create Target    first_tape    stopped.tape    duration_ms=${LASTS_MS}    control=${TAPES}/control2
    Start Emulation
    Send Control    stop
    Send Control    flush
    Target Should End
    Balance Should Be Exact    ${TAPES}/stopped.tape
    ${count}=    Get Event Count    ${TAPES}/stopped.tape    TRACER.STOP
    Should Be True    ${count} > 0
