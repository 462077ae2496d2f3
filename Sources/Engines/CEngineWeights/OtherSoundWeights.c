#include "CEngineWeights.h"

static const unsigned char weights[] = {
#embed "other-sounds.weights"
};

const unsigned char *cew_other_sound_weights(void) { return weights; }

size_t cew_other_sound_weights_size(void) { return sizeof weights; }
