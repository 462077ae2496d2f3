#ifndef ANECHOIC_CALSA_SHIM_H
#define ANECHOIC_CALSA_SHIM_H

#include <alsa/asoundlib.h>

// Functions for parts of ALSA that Swift cannot call: macros that allocate on the stack, and a
// variadic error handler.

static inline void calsa_ignore_error(const char *file, int line, const char *function, int error,
                                      const char *format, ...) {}

// Stops ALSA from writing errors to standard error. Its functions return the same errors.
static inline void calsa_silence(void) { snd_lib_error_set_handler(calsa_ignore_error); }

#endif
