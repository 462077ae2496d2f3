#include "CEngineWeights.h"

static const unsigned char weights[] = {
#embed "instruments.weights"
};

const unsigned char *cew_instrument_weights(void) { return weights; }

size_t cew_instrument_weights_size(void) { return sizeof weights; }
