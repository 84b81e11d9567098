/* finish.h - the end of a test program. */
#ifndef FINISH_H
#define FINISH_H

/* Stop recording, wait until the host has everything, and end the emulator. */
void finish(void);

/* End the emulator. */
void leave(void);

#endif
