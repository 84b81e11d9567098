/* Number of the interface between these sources and the Python files beside them. */
#ifndef TICKERTAPE_NATIVE_VERSION_H
#define TICKERTAPE_NATIVE_VERSION_H

/* Raise it, together with VERSION in library.py, whenever a function or struct here changes. */
int tt_native_version(void);

#endif
