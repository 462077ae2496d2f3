#pragma once

#include "Card.h"

// The air between a card that plays and a card that captures, whose clocks may differ.
struct room;

struct room *room_open(const char *path);
void room_close(struct room *room);

// Forgets the sound that is still in the air.
void room_reset(struct room *room);

// Moves to the next sample of a capturing card, which is at `time`.
void room_step(struct room *room, double time);

// Returns the sound of the room at this sample, and the unchanged sound of a channel.
float room_sound(const struct room *room);
float room_direct(const struct room *room, unsigned channel);
