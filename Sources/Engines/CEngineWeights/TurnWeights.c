#include "CEngineWeights.h"

static const unsigned char weights[] = {
#embed "turns.weights"
};

const unsigned char *cew_turn_weights(void) { return weights; }

size_t cew_turn_weights_size(void) { return sizeof weights; }
