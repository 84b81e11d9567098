# The recorder for a project of your own, built by CMake:
#
#   include(<tickertape>/firmware/cmake/tickertape.cmake)
#   add_executable(app main.c startup.c)
#   tickertape_add(TARGET app BOARD_CONFIG ${CMAKE_CURRENT_SOURCE_DIR} LINKS)
#
# TARGET        the program; it gets the recorder's objects, include folders and options
# BOARD_CONFIG  the folder of your board_config.h, which defines TT_PORT_CLOCK_REGISTER
# PORT          a port of tickertape (default: cortex_m), or the absolute path of your own
# KERNEL        freertos: also adds firmware/ports/freertos and a link over RTT; no BOARD_CONFIG then
# KERNEL_TARGET with KERNEL: the library of the kernel; it gets the folder of the port's header
# LINKS         also adds firmware/links: byte rings, UDP frames, the link in memory
# DEFINES       options of tickertape/config.h, for example TT_CONFIG_BUFFERS=4
#
#   tickertape_add(TARGET app KERNEL freertos KERNEL_TARGET freertos_kernel)
#
# Without a kernel, the program provides tt_port_notify_drain() and a link (tickertape/link.h). It calls
# tt_init() and tt_start(), then repeatedly tt_drain_step() until that returns false. examples/superloop
# is a complete project.
include_guard(GLOBAL)

get_filename_component(TICKERTAPE_FIRMWARE "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)

function(tickertape_add)
    cmake_parse_arguments(PARSE_ARGV 0 TT "LINKS" "TARGET;BOARD_CONFIG;PORT;KERNEL;KERNEL_TARGET" "DEFINES")
    if(TT_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "tickertape_add: unknown ${TT_UNPARSED_ARGUMENTS}; see ${CMAKE_CURRENT_FUNCTION_LIST_FILE}")
    endif()
    if(NOT TARGET "${TT_TARGET}")
        message(FATAL_ERROR "tickertape_add: TARGET '${TT_TARGET}' is not a target; call add_executable first")
    endif()
    if(TT_KERNEL AND NOT TT_KERNEL STREQUAL "freertos")
        message(FATAL_ERROR "tickertape_add: KERNEL '${TT_KERNEL}' is unknown; there is freertos, and docs/zephyr.md for Zephyr")
    endif()
    if(TT_KERNEL AND NOT TARGET "${TT_KERNEL_TARGET}")
        message(FATAL_ERROR "tickertape_add: KERNEL_TARGET '${TT_KERNEL_TARGET}' is not a target; name the library of the kernel")
    endif()
    if(NOT TT_PORT)
        set(TT_PORT cortex_m)
    endif()
    if(TT_KERNEL AND NOT TT_BOARD_CONFIG)
        set(TT_BOARD_CONFIG "${TICKERTAPE_FIRMWARE}/ports/${TT_KERNEL}")
    endif()
    if(NOT IS_ABSOLUTE "${TT_PORT}")
        set(TT_PORT "${TICKERTAPE_FIRMWARE}/ports/${TT_PORT}")
    endif()
    if(NOT EXISTS "${TT_PORT}/tickertape/port.h")
        message(FATAL_ERROR "tickertape_add: ${TT_PORT} has no tickertape/port.h; see firmware/ports/template")
    endif()
    if(TT_PORT STREQUAL "${TICKERTAPE_FIRMWARE}/ports/cortex_m" AND NOT EXISTS "${TT_BOARD_CONFIG}/board_config.h")
        message(FATAL_ERROR "tickertape_add: BOARD_CONFIG '${TT_BOARD_CONFIG}' has no board_config.h; define TT_PORT_CLOCK_REGISTER in one")
    endif()

    file(GLOB sources CONFIGURE_DEPENDS "${TICKERTAPE_FIRMWARE}/core/*.c" "${TT_PORT}/*.c")
    set(folders "${TICKERTAPE_FIRMWARE}/include" "${TT_PORT}" ${TT_BOARD_CONFIG})
    if(TT_KERNEL)
        file(GLOB kernel CONFIGURE_DEPENDS "${TICKERTAPE_FIRMWARE}/ports/${TT_KERNEL}/*.c")
        list(APPEND sources ${kernel} "${TICKERTAPE_FIRMWARE}/links/rtt_link.c")
        list(APPEND folders "${TICKERTAPE_FIRMWARE}/ports/${TT_KERNEL}" "${TICKERTAPE_FIRMWARE}/links")
    endif()
    if(TT_LINKS)
        file(GLOB links CONFIGURE_DEPENDS "${TICKERTAPE_FIRMWARE}/links/*.c")
        list(APPEND sources ${links})
        list(APPEND folders "${TICKERTAPE_FIRMWARE}/links")
    endif()
    list(REMOVE_DUPLICATES sources)

    set(recorder "${TT_TARGET}_tickertape")
    add_library(${recorder} OBJECT ${sources})
    target_include_directories(${recorder} PUBLIC ${folders})
    target_compile_definitions(${recorder} PUBLIC ${TT_DEFINES})
    target_compile_features(${recorder} PRIVATE c_std_11)
    target_compile_options(${recorder} PRIVATE -ffunction-sections -fdata-sections)
    target_link_libraries(${TT_TARGET} PRIVATE ${recorder})
    if(TT_KERNEL)
        get_target_property(kind "${TT_KERNEL_TARGET}" TYPE)
        if(kind STREQUAL "INTERFACE_LIBRARY")
            target_include_directories(${TT_KERNEL_TARGET} INTERFACE "${TICKERTAPE_FIRMWARE}/ports/${TT_KERNEL}")
        else()
            target_include_directories(${TT_KERNEL_TARGET} PUBLIC "${TICKERTAPE_FIRMWARE}/ports/${TT_KERNEL}")
        endif()
        target_link_libraries(${recorder} PRIVATE ${TT_KERNEL_TARGET})
    endif()
endfunction()
