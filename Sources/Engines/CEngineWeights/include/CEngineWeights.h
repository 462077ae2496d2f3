#ifndef ANECHOIC_CENGINEWEIGHTS_H
#define ANECHOIC_CENGINEWEIGHTS_H

#include <stddef.h>

// The file of weights that the executable contains, as training/export.py writes it.
const unsigned char *cew_weights(void);
size_t cew_weights_size(void);

#endif
