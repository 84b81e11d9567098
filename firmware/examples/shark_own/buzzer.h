/*
 * buzzer.h - two events and a class of the application, numbered after those of the tracer. Option
 * TRC_TYPES_FILE names this file, so that trc_types.h includes it.
 */
#ifndef SHARK_OWN_BUZZER_H
#define SHARK_OWN_BUZZER_H

#define TRC_CLASS_BUZZER 5

#define TRC_BEEP 0x17 /* TRC_F_LAST: numbers continue after those of the tracer */
#define TRC_HONK 0x18

#define TRC_EXTRA_EVENTS  2
#define TRC_EXTRA_CLASSES {TRC_BEEP}
#define TRC_NUMCLASSES    6

#endif
