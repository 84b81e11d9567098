*** Settings ***
Documentation       One suite for every target: --variable TARGET:native, qemu, qemu-m3, renode …
Library             tickertape.robot
Suite Setup         Choose How To Run

*** Variables ***
${TARGET}           native

*** Test Cases ***
Every Record Of The Demo Should Arrive
    Start Target    ${TARGET}    first_tape    &{HOW}
    Capture For    ${OUTPUT_DIR}/first.tape
    No Event Should Be Lost    ${OUTPUT_DIR}/first.tape
    ${count}=    Get Event Count    ${OUTPUT_DIR}/first.tape
    Should Be True    ${count} > 500

Two Runs Should Decide The Same
    Skip If    $TARGET.startswith('board:')    two runs of a board differ by microseconds
    FOR    ${run}    IN    1    2
        Start Target    ${TARGET}    philosophers    &{HOW}
        Capture For    ${OUTPUT_DIR}/same${run}.tape
    END
    ${count}=    Events Should Match    ${OUTPUT_DIR}/same1.tape    ${OUTPUT_DIR}/same2.tape    *
    Should Be True    ${count} > 100

A Target Should Decide As The Native One
    Skip If    $TARGET == 'qemu:mps2-an521'    two CPUs decide otherwise than one
    FOR    ${target}    IN    native    ${TARGET}
        Start Target    ${target}    first_tape    &{HOW}
        Capture For    ${OUTPUT_DIR}/${target}.tape
    END
    FOR    ${name}    ${least}    IN    SCHED.ACTIVATION    100    USER.*    50
        ${count}=    Events Should Match
        ...    ${OUTPUT_DIR}/${TARGET}.tape    ${OUTPUT_DIR}/native.tape    ${name}
        Should Be True    ${count} > ${least}
    END

Commands Should Select What Is Recorded
    Start Target    ${TARGET}    first_tape    &{LONG}
    Start Capture    ${OUTPUT_DIR}/chosen.tape    control=${OUTPUT_DIR}/control
    Send Control    del-class    SCHED
    ${answer}=    Send Control    classes
    Should Match Regexp    ${answer}    SCHED +none
    Should Match Regexp    ${answer}    USER +every
    Stop Target
    Balance Should Hold    ${OUTPUT_DIR}/chosen.tape

*** Keywords ***
Choose How To Run
    [Documentation]    A board takes no options: it runs as long as the example does. The rings of a
    ...    micro:bit have 128 records, so it leaves out what comes most often.
    ${how}=    Evaluate    {} if $TARGET.startswith('board:') else {'duration': 0.5}
    ${how}=    Evaluate    {**$how, 'brief': 1} if 'microbit' in $TARGET and $how else $how
    ${long}=    Evaluate    {**$how, 'duration': 100000} if $how else {}
    Set Suite Variable    ${HOW}    ${how}
    Set Suite Variable    ${LONG}    ${long}
