#include "CEngineWeights.h"

static const unsigned char weights[] = {
#embed "anechoic.weights"
};

const unsigned char *cew_weights(void) { return weights; }

size_t cew_weights_size(void) { return sizeof weights; }
