*** Settings ***
Documentation       Samples of the Zephyr module; `make renode` builds them if ZEPHYR_BASE is set.
Resource            tickertape.resource
Test Tags           zephyr

*** Test Cases ***
Hello Tape Should Be Captured And Commanded
    Create Zephyr    hello_tape    hello.tape
    Start Emulation
    Send Control    status
    Send Control    del-class    SCHED
    ${classes}=    Send Control    classes
    Should Match Regexp    ${classes}    SCHED +none
    Send Control    stop
    Execute Command    Clear
    Wait For Capture    20
    Balance Should Hold    ${TAPES}/hello.tape

Philosophers Should Be Captured
    Create Zephyr    philosophers    philosophers.tape
    Execute Command    emulation RunFor "3"
    Execute Command    Clear
    Wait For Capture    20
    Balance Should Hold    ${TAPES}/philosophers.tape
    ${count}=    Get Event Count    ${TAPES}/philosophers.tape    SYNC.*
    Should Be True    ${count} > 100

*** Keywords ***
Create Zephyr
    [Arguments]    ${example}    ${tape}
    Skip If    not $PLATFORM.startswith('mps2')    the images are for mps2_an385, not ${PLATFORM}
    ${built}=    Run Keyword And Return Status    File Should Exist    ${IMAGES}/zephyr/${example}.elf
    Skip If    not ${built}    ${IMAGES}/zephyr/${example}.elf is not there: set ZEPHYR_BASE, make renode
    Create Target    ${example}    ${tape}    control=${TAPES}/${example}.control
    ...    uart=uart1    folder=zephyr
