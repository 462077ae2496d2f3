#include "CEngineWeights.h"

static const unsigned char weights[] = {
#embed "isolation.weights"
};

const unsigned char *cew_isolation_weights(void) { return weights; }

size_t cew_isolation_weights_size(void) { return sizeof weights; }
