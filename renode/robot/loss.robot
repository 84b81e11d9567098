*** Settings ***
Documentation       The balance of records after overflow, interlaced events, resets, and damaged bytes.
...                 Exact counts need a Cortex-M3 (renode/README.md).
Resource            tickertape.resource
Test Tags           loss

*** Variables ***
# Inverts one bit of every 5000th byte that the target sends.
${BROKEN_LINK}      n = globals().get('n', 0) + 1; value = (value ^ 16) if n % 5000 == 0 else value

*** Test Cases ***
A Storm Should Be Accounted For Class By Class
    [Documentation]    Interrupts record simple and combine events in the middle of other events.
    Need A Cortex-M3
    Remove File    ${TAPES}/storm.txt
    Create Target    storm    storm.tape
    Execute Command    sysbus.uart1 CreateFileBackend @${TAPES}/storm.txt true
    Start Emulation
    Target Should End
    ${console}=    Get File    ${TAPES}/storm.txt
    Counts Should Be    ${TAPES}/storm.tape    ${console}

Interlaced Events Should Be Put Together
    [Documentation]    Threads and interrupts interrupt each other while recording; the link sends all records.
    Create Target    stress    stress.tape
    Start Emulation
    Target Should End
    No Event Should Be Lost    ${TAPES}/stress.tape

Three Boots Should Be Kept Apart
    [Tags]    only-renode
    Create Target    first_tape    boots.tape    duration_ms=2000
    Execute Command    emulation RunFor "1"
    Execute Command    machine Reset
    Execute Command    emulation RunFor "1"
    Execute Command    machine Reset
    Start Emulation
    Target Should End
    Balance Should Hold    ${TAPES}/boots.tape
    Boots Should Be    ${TAPES}/boots.tape    3

What A Line Damages Should Be Named
    [Tags]    only-renode
    Create Target    first_tape    broken.tape    duration_ms=2000
    Damage What The Target Sends    ${BROKEN_LINK}
    Start Emulation
    Target Should End
    ${terms}=    Balance Should Be Exact    ${TAPES}/broken.tape
    Should Be True    ${terms}[damaged] > 0
