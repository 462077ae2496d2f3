#ifndef ANECHOIC_CALSA_SHIM_H
#define ANECHOIC_CALSA_SHIM_H

#include <alsa/asoundlib.h>
#include <pthread.h>

// What Swift cannot call: macros that allocate on the stack, and a variadic error handler.

static inline void calsa_ignore_error(const char *file, int line, const char *function, int error,
                                      const char *format, ...) {}

// ALSA writes to standard error what its functions return anyway.
static inline void calsa_silence(void) { snd_lib_error_set_handler(calsa_ignore_error); }

static inline int calsa_poll_descriptor_count(snd_pcm_t *pcm) {
    return snd_pcm_poll_descriptors_count(pcm);
}

#endif
