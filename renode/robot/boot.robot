*** Settings ***
Documentation       Boots, captures, and scheduling decisions, which are the same as in QEMU.
Resource            tickertape.resource
Test Tags           boot

*** Test Cases ***
A Run Should Be Captured Whole
    Create Target    first_tape    first.tape    duration_ms=2000
    Start Emulation
    Target Should End
    No Event Should Be Lost    ${TAPES}/first.tape
    Boots Should Be    ${TAPES}/first.tape    1
    ${count}=    Get Event Count    ${TAPES}/first.tape
    Should Be True    ${count} > 10000

The Kernel Should Decide As In QEMU
    [Documentation]    Compares activations and USER events with their numbers; times differ by microseconds.
    ...    The order of an activation and a USER event may differ if the reference is of another board.
    Create Target    first_tape    decisions.tape    duration_ms=2000
    Start Emulation
    Target Should End
    FOR    ${events}    ${least}    IN    SCHED.ACTIVATION    500    USER.*    200
        ${count}=    Events Should Match
        ...    ${TAPES}/decisions.tape    ${IMAGES}/reference/first_tape.tape    ${events}
        Should Be True    ${count} > ${least}
    END
    IF    $PLATFORM.startswith('mps2')
        Events Should Match    ${TAPES}/decisions.tape    ${IMAGES}/reference/first_tape.tape
        ...    SCHED.ACTIVATION    USER.*
    END

The Golden Vectors Should Be Recorded As In QEMU
    [Documentation]    Simple and combine events with each payload of protocol/vectors/records.json. Other
    ...    tests compare QEMU's records with that file byte for byte.
    Create Target    conformance    vectors.tape
    Start Emulation
    Target Should End
    No Event Should Be Lost    ${TAPES}/vectors.tape
    ${count}=    Events Should Match    ${TAPES}/vectors.tape    ${IMAGES}/reference/conformance.tape    *
    Should Be True    ${count} > 100

Two Runs Should Be The Same
    FOR    ${run}    IN    1    2
        Create Target    philosophers    same${run}.tape
        Start Emulation
        Target Should End
    END
    ${count}=    Events Should Match    ${TAPES}/same1.tape    ${TAPES}/same2.tape    *
    Should Be True    ${count} > 100
    ${first}=    Print Tape    ${TAPES}/same1.tape
    ${second}=    Print Tape    ${TAPES}/same2.tape
    Should Be True    $first == $second

A Priority Inversion Should Be Recorded
    Create Target    priority_inversion    inversion.tape
    Start Emulation
    Target Should End
    No Event Should Be Lost    ${TAPES}/inversion.tape
    ${count}=    Get Event Count    ${TAPES}/inversion.tape    SYNC.MUTEX_*
    Should Be True    ${count} > 0

Messages Should Be Recorded
    Create Target    messages    messages.tape
    Start Emulation
    Target Should End
    No Event Should Be Lost    ${TAPES}/messages.tape
    ${count}=    Get Event Count    ${TAPES}/messages.tape    COMM.*
    Should Be True    ${count} > 0

Memory Domains Should End Alone
    Create Target    domains    domains.tape
    Start Emulation
    Target Should End
    No Event Should Be Lost    ${TAPES}/domains.tape
    ${count}=    Get Event Count    ${TAPES}/domains.tape    DOMAIN.FAULT
    Should Be True    ${count} > 0
