#include "CBuildInformation.h"

const char *anechoic_build_commit(void) { return ANECHOIC_COMMIT; }
