#pragma once

// Sound cards for machines without one: plug-ins for alsa-lib, of the PCM type "soundcard" and the control type
// "soundcard". A card is a file in memory that all programs map. A PCM plays into the file or captures from it
// at the pace of the card's clock. A PCM offers one rate, one number of channels and one format, as hardware
// does.

/// Creates the file of a card.
///
/// - Parameters:
///   - channels: 1 to 8.
///   - rate: The samples of each channel in a second of the card's clock.
///   - partsPerMillion: The rate of the card's clock relative to the machine's. Positive if it is faster.
/// - Returns: 0, or a negative errno.
int sound_card_create(const char *path, unsigned channels, unsigned rate, double partsPerMillion);
