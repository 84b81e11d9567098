/* finish.h - how a test program ends. */
#ifndef FINISH_H
#define FINISH_H

/* Stop recording, wait until all records are sent, and end the emulator. */
void finish(void);

/* End the emulator. */
void leave(void);

#endif
