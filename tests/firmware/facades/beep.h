/* Two events of an application, added as described in trc_types.h, with or without a class. */
#define TRC_BEEP         0x17
#define TRC_HONK         0x18
#define TRC_EXTRA_EVENTS 2

typedef struct trc_sound_event {
    uint16_t pitch_hz;
    uint16_t length_ms;
} trc_sound_event_t;

#define TRC_EXTRA_MEMBERS trc_sound_event_t sound;

#ifndef BEEP_WITHOUT_CLASS
#define TRC_CLASS_BUZZER  5
#define TRC_EXTRA_CLASSES {TRC_BEEP}
#define TRC_NUMCLASSES    6
#endif
