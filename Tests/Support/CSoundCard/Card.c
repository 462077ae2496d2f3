#define _GNU_SOURCE
#include "Card.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "CSoundCard.h"

// A ring of a power of two of frames. A frame that is older than one lap is silence.
enum { capacity = 1 << 17, magic = 0x636172ad };

struct slot {
  _Atomic uint32_t lap;
  float samples[card_most_channels];
};

struct head {
  uint32_t magic, channels, rate;
  double parts_per_million, epoch;
};

struct memory {
  struct head head;
  struct slot slots[capacity];
};

struct card {
  struct memory *memory;
  char *path;
  ino_t inode;
};

double card_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

int sound_card_create(const char *path, unsigned channels, unsigned rate, double partsPerMillion) {
  if (channels < 1 || channels > card_most_channels) return -EINVAL;
  // Under another name at first, so that nobody opens half a card.
  char *draft = NULL;
  if (asprintf(&draft, "%s.new", path) < 0) return -ENOMEM;
  int file = open(draft, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  struct head head = {magic, channels, rate, partsPerMillion, card_now()};
  int failed = file < 0 || ftruncate(file, sizeof(struct memory)) < 0 ||
               write(file, &head, sizeof head) != sizeof head || rename(draft, path) < 0;
  int code = failed ? -errno : 0;
  if (file >= 0) close(file);
  free(draft);
  return code;
}

struct card *card_open(const char *path) {
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return NULL;
  struct stat status;
  struct memory *memory = MAP_FAILED;
  if (fstat(file, &status) == 0 && status.st_size == sizeof(struct memory))
    memory = mmap(NULL, sizeof(struct memory), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) return NULL;
  struct card *card = calloc(1, sizeof *card);
  if (!card || memory->head.magic != magic || !(card->path = strdup(path))) {
    munmap(memory, sizeof(struct memory));
    free(card);
    errno = EIO;
    return NULL;
  }
  card->memory = memory;
  card->inode = status.st_ino;
  return card;
}

void card_close(struct card *card) {
  munmap(card->memory, sizeof(struct memory));
  free(card->path);
  free(card);
}

int card_is_present(const struct card *card) {
  struct stat status;
  return stat(card->path, &status) == 0 && status.st_ino == card->inode;
}

unsigned card_channels(const struct card *card) { return card->memory->head.channels; }

unsigned card_rate(const struct card *card) { return card->memory->head.rate; }

// The samples of a nanosecond.
static double pace(const struct memory *memory) {
  return memory->head.rate * (1 + memory->head.parts_per_million * 1e-6) * 1e-9;
}

double card_sample(const struct card *card, double time) {
  return (time - card->memory->head.epoch) * pace(card->memory);
}

double card_time(const struct card *card, double sample) {
  return card->memory->head.epoch + sample / pace(card->memory);
}

static uint32_t lap(int64_t sample) { return (uint32_t)(sample / capacity) + 1; }

void card_add(struct card *card, int64_t sample, const float *frame) {
  if (sample < 0) return;
  struct slot *slot = &card->memory->slots[sample % capacity];
  // Two programs that add at the same moment may lose one of the two frames, which no test hears.
  if (atomic_exchange(&slot->lap, lap(sample)) != lap(sample))
    memset(slot->samples, 0, sizeof slot->samples);
  for (unsigned channel = 0; channel < card->memory->head.channels; channel++)
    slot->samples[channel] += frame[channel];
}

float card_sound(const struct card *card, int64_t sample, unsigned channel) {
  if (sample < 0 || channel >= card->memory->head.channels) return 0;
  const struct slot *slot = &card->memory->slots[sample % capacity];
  return atomic_load(&slot->lap) == lap(sample) ? slot->samples[channel] : 0;
}
