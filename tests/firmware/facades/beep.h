/* Events of an application, added as described in trc_types.h: two of them, in a class or in none.
 * */
#define TRC_BEEP         0x17
#define TRC_HONK         0x18
#define TRC_EXTRA_EVENTS 2

#ifndef BEEP_WITHOUT_CLASS
#define TRC_CLASS_BUZZER  5
#define TRC_EXTRA_CLASSES {TRC_BEEP}
#define TRC_NUMCLASSES    6
#endif
