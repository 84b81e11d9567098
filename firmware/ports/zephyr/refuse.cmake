# Refuse configurations that cannot work, with a message before the compiler runs. CMakeLists.txt
# includes this file and sets takes_format: whether Zephyr has CONFIG_TRACING_FORMAT_HEADER. Tests
# run this file alone.

# No link: this board has no suitable serial driver, and no other link was selected.
set(links UART UART_ASYNC UDP SEMIHOSTING RTT ITM)
set(chosen_link "")
foreach(link ${links})
  if(CONFIG_TICKERTAPE_LINK_${link})
    set(chosen_link ${link})
  endif()
endforeach()
if(NOT chosen_link)
  list(TRANSFORM links PREPEND CONFIG_TICKERTAPE_LINK_)
  list(JOIN links ", " links)
  message(FATAL_ERROR "tickertape: no link to the host is selected, and the board has no UART driver with "
                      "interrupts; set CONFIG_SERIAL=y, or the dependencies of one of: ${links}")
endif()

if(chosen_link MATCHES "^UART")
  dt_chosen(uart PROPERTY "tickertape,uart")
  dt_chosen(console PROPERTY "zephyr,console")
  dt_chosen(shell_uart PROPERTY "zephyr,shell-uart")
  if(uart)
    dt_node_has_status(uart_is_okay PATH "${uart}" STATUS okay)
  endif()
  if(NOT uart_is_okay)
    message(FATAL_ERROR "tickertape: no UART is chosen for the trace, or it is disabled; "
                        "add to an overlay of the board: "
                        "/ { chosen { tickertape,uart = &uart1; }; }; &uart1 { status = \"okay\"; };")
  endif()
  if(CONFIG_TICKERTAPE_UART_IS_USB AND NOT CONFIG_USB_CDC_ACM AND NOT CONFIG_USBD_CDC_ACM_CLASS)
    message(FATAL_ERROR "tickertape: ${uart} is a UART over USB, but the USB driver is off; "
                        "set CONFIG_USB_DEVICE_STACK=y")
  endif()
  if(CONFIG_TICKERTAPE_UART_IS_USB AND chosen_link STREQUAL UART_ASYNC)
    message(FATAL_ERROR "tickertape: ${uart} is a UART over USB, which has no asynchronous interface; "
                        "set CONFIG_TICKERTAPE_LINK_UART=y")
  endif()
  if((CONFIG_UART_CONSOLE AND uart STREQUAL console) OR
     (CONFIG_SHELL_BACKEND_SERIAL AND uart STREQUAL shell_uart))
    message(FATAL_ERROR "tickertape: ${uart} is also the UART of the console or shell; "
                        "choose another for tickertape,uart, or set CONFIG_UART_CONSOLE=n")
  endif()
endif()

# Other users of the hooks.
set(advice "set the choice \"Tracing Format\" to none (CONFIG_TRACING_NONE=y) or user (CONFIG_TRACING_USER=y)")
foreach(format PERCEPIO_TRACERECORDER SEGGER_SYSTEMVIEW TRACING_CTF TRACING_TEST)
  if(CONFIG_${format})
    message(FATAL_ERROR "tickertape: CONFIG_${format} uses the tracing hooks; ${advice}")
  endif()
endforeach()
if(CONFIG_TRACING_CUSTOM AND EXISTS ${ZEPHYR_BASE}/include/zephyr/tracing/zephyr_custom_tracing.h)
  # That header is beside the one that includes it, so no include path can precede it.
  message(FATAL_ERROR "tickertape: this Zephyr already contains a custom tracing format; ${advice}")
endif()
if(CONFIG_TRACING_CUSTOM AND NOT EXISTS ${ZEPHYR_BASE}/include/zephyr/tracing/tracing_hooks.h)
  # Zephyr 4.4: a custom format has to define every hook of its version.
  message(FATAL_ERROR "tickertape: with CONFIG_TRACING_CUSTOM this Zephyr requires a format to define every "
                      "hook; ${advice}")
endif()
if(NOT CONFIG_TRACING_NONE AND NOT CONFIG_TRACING_USER AND NOT CONFIG_TRACING_CUSTOM AND
   NOT takes_format)
  message(FATAL_ERROR "tickertape: another tracing format uses the tracing hooks; ${advice}")
endif()

# Settings that work, but not as expected.
math(EXPR tick_ms "1000 / ${CONFIG_SYS_CLOCK_TICKS_PER_SEC}")
if(tick_ms GREATER CONFIG_TICKERTAPE_DRAIN_PERIOD_MS)
  message(WARNING "tickertape: CONFIG_TICKERTAPE_DRAIN_PERIOD_MS=${CONFIG_TICKERTAPE_DRAIN_PERIOD_MS} is "
                  "below a tick of the kernel (${tick_ms} ms), so the drain waits one tick; raise "
                  "CONFIG_SYS_CLOCK_TICKS_PER_SEC or CONFIG_TICKERTAPE_BUFFERS")
endif()
