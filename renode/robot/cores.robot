*** Settings ***
Documentation       The first test of the boot suite, on the other cores.
Resource            tickertape.resource
Test Tags           cores

*** Test Cases ***
A Run Should Be Captured Whole On A Cortex-M4
    Set Test Variable    ${PLATFORM}    mps2-an386
    First Tape Should Be Whole

A Run Should Be Captured Whole On A Cortex-M33
    Set Test Variable    ${PLATFORM}    mps2-an521
    First Tape Should Be Whole

A Run Should Be Captured Whole On An STM32F4 Discovery
    Set Test Variable    ${PLATFORM}    stm32f4
    First Tape Should Be Whole

*** Keywords ***
First Tape Should Be Whole
    Create Target    first_tape    ${PLATFORM}.tape    duration_ms=2000
    Start Emulation
    Target Should End
    No Event Should Be Lost    ${TAPES}/${PLATFORM}.tape
