#include "anechoic.h"
