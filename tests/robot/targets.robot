*** Settings ***
Documentation       One suite for every target: --variable TARGET:native, qemu, qemu-m3, renode …
Library             tickertape.robot

*** Variables ***
${TARGET}           native
${EVENTS}           SCHED.ACTIVATION

*** Test Cases ***
Every Record Of The Demo Should Arrive
    Start Target    ${TARGET}    first_tape    duration=0.5
    Capture For    ${OUTPUT_DIR}/first.tape
    No Event Should Be Lost    ${OUTPUT_DIR}/first.tape
    ${count}=    Get Event Count    ${OUTPUT_DIR}/first.tape
    Should Be True    ${count} > 1000

Two Runs Should Decide The Same
    FOR    ${run}    IN    1    2
        Start Target    ${TARGET}    philosophers    duration=0.2
        Capture For    ${OUTPUT_DIR}/same${run}.tape
    END
    ${count}=    Events Should Match    ${OUTPUT_DIR}/same1.tape    ${OUTPUT_DIR}/same2.tape    *
    Should Be True    ${count} > 100

A Target Should Decide As The Native One
    Skip If    $TARGET == 'qemu:mps2-an521'    two CPUs decide otherwise than one
    FOR    ${target}    IN    native    ${TARGET}
        Start Target    ${target}    first_tape    duration=0.5
        Capture For    ${OUTPUT_DIR}/${target}.tape
    END
    ${count}=    Events Should Match
    ...    ${OUTPUT_DIR}/${TARGET}.tape    ${OUTPUT_DIR}/native.tape    ${EVENTS}
    Should Be True    ${count} > 100

Commands Should Select What Is Recorded
    Start Target    ${TARGET}    first_tape    duration=100000
    Start Capture    ${OUTPUT_DIR}/chosen.tape    control=${OUTPUT_DIR}/control
    Send Control    del-class    SCHED
    ${answer}=    Send Control    classes
    Should Match Regexp    ${answer}    SCHED +none
    Should Match Regexp    ${answer}    USER +every
    Stop Target
    Balance Should Hold    ${OUTPUT_DIR}/chosen.tape
