#pragma once

#include <stdint.h>

enum { card_most_channels = 8 };

struct card;

// Maps the file of a card. Returns NULL and errno without one.
struct card *card_open(const char *path);
void card_close(struct card *card);

// Whether the file of the card is still the one that was opened.
int card_is_present(const struct card *card);

unsigned card_channels(const struct card *card);
unsigned card_rate(const struct card *card);

// Returns the sample of the card's clock at a time in ns of CLOCK_MONOTONIC, and the other way round.
double card_sample(const struct card *card, double time);
double card_time(const struct card *card, double sample);

// Adds a frame to the sound that programs play at a sample.
void card_add(struct card *card, int64_t sample, const float *frame);

// Returns what is played on a channel at a sample.
float card_sound(const struct card *card, int64_t sample, unsigned channel);

double card_now(void);
