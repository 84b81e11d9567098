/* tusb.h - a stub: the CDC device of TinyUSB, as far as links use it. */
#ifndef TUSB_H
#define TUSB_H

#include <stdbool.h>
#include <stdint.h>

#define CFG_TUD_CDC_TX_BUFSIZE 4096

bool tud_cdc_n_connected(uint8_t itf);
uint32_t tud_cdc_n_write_available(uint8_t itf);
uint32_t tud_cdc_n_write(uint8_t itf, const void *data, uint32_t count);
uint32_t tud_cdc_n_read(uint8_t itf, void *data, uint32_t count);
uint32_t tud_cdc_n_write_flush(uint8_t itf);

#endif
