#include "Room.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The reflections, and the samples of sound in the air: a power of two.
enum { reflections = 60, air = 8192 };
// The taps and the phases of the interpolation between samples: a sinc in a window of Hann.
enum { taps = 32, phases = 512 };

struct room {
  struct card *card;
  float sinc[phases + 1][taps];
  unsigned delays[reflections];
  float gains[reflections];
  float sound[air];
  unsigned position;
  float direct[card_most_channels];
  uint32_t random;
};

static float next_random(struct room *room) {
  room->random = room->random * 1664525u + 1013904223u;
  return (float)(room->random >> 8) / (1 << 24);
}

// The first reflection comes after 6 ms at 48 kHz. The sound falls by 60 dB in about 200 ms.
static void make_reflections(struct room *room) {
  for (unsigned index = 0; index < reflections; index++) {
    room->delays[index] = 288 + (unsigned)(next_random(room) * 6000 * index / reflections);
    float decay = expf(-(float)room->delays[index] / 1400);
    room->gains[index] = (index ? 0.35f * (next_random(room) * 2 - 1) : 0.6f) * decay;
  }
}

struct room *room_open(const char *path) {
  struct room *room = calloc(1, sizeof *room);
  if (!room || !(room->card = card_open(path))) {
    free(room);
    return NULL;
  }
  for (int phase = 0; phase <= phases; phase++)
    for (int tap = 0; tap < taps; tap++) {
      double x = tap - taps / 2 + 1 - (double)phase / phases;
      double window = 0.5 + 0.5 * cos(M_PI * x / (taps / 2));
      room->sinc[phase][tap] = (float)((fabs(x) < 1e-9 ? 1 : sin(M_PI * x) / (M_PI * x)) * window);
    }
  room->random = 1;
  make_reflections(room);
  return room;
}

void room_close(struct room *room) {
  card_close(room->card);
  free(room);
}

void room_reset(struct room *room) { memset(room->sound, 0, sizeof room->sound); }

void room_step(struct room *room, double time) {
  // The later half of the interpolation has been played then.
  double sample = card_sample(room->card, time) - taps;
  int64_t first = (int64_t)floor(sample);
  const float *sinc = room->sinc[(int)lround((sample - (double)first) * phases)];
  float sum = 0;
  unsigned channels = card_channels(room->card);
  for (unsigned channel = 0; channel < channels; channel++) {
    float value = 0;
    for (int tap = 0; tap < taps; tap++)
      value += sinc[tap] * card_sound(room->card, first + tap - taps / 2 + 1, channel);
    room->direct[channel] = value;
    sum += value;
  }
  room->position++;
  room->sound[room->position % air] = sum / (float)channels;
}

float room_sound(const struct room *room) {
  float sound = 0;
  for (unsigned index = 0; index < reflections; index++)
    sound += room->gains[index] * room->sound[(room->position - room->delays[index]) % air];
  return sound;
}

float room_direct(const struct room *room, unsigned channel) {
  return channel < card_channels(room->card) ? room->direct[channel] : 0;
}
