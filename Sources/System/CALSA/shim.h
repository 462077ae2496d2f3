#ifndef ANECHOIC_CALSA_SHIM_H
#define ANECHOIC_CALSA_SHIM_H

#include <alsa/asoundlib.h>
#include <sys/eventfd.h>

// Functions for parts of ALSA that Swift cannot call: macros that allocate on the stack, a variadic error
// handler, and an array without a length.

static inline void calsa_ignore_error(const char *file, int line, const char *function, int error,
                                      const char *format, ...) {}

// Stops ALSA from writing errors to standard error. Its functions return the same errors.
static inline void calsa_silence(void) { snd_lib_error_set_handler(calsa_ignore_error); }

// Returns the position of a channel of a map.
static inline unsigned int calsa_position(const snd_pcm_chmap_t *map, unsigned int channel) {
  return map->pos[channel] & SND_CHMAP_POSITION_MASK;
}

#endif
