#ifndef ANECHOIC_CENGINEWEIGHTS_H
#define ANECHOIC_CENGINEWEIGHTS_H

#include <stddef.h>

// The file of weights that the executable contains, as training/export.py writes it.
const unsigned char *cew_weights(void);
size_t cew_weights_size(void);

// The weights of the turn network, in the same format, as training/turns/train.py writes them.
const unsigned char *cew_turn_weights(void);
size_t cew_turn_weights_size(void);

// The weights of the networks that isolate a voice, in the same format, as training/isolation/export.py writes them.
const unsigned char *cew_isolation_weights(void);
size_t cew_isolation_weights_size(void);

// The weights of the network that tells other sounds from voices, in the same format, as training/other-sounds/train.py
// writes them.
const unsigned char *cew_other_sound_weights(void);
size_t cew_other_sound_weights_size(void);

#endif
