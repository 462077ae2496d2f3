#ifndef ANECHOIC_CBUILDINFORMATION_H
#define ANECHOIC_CBUILDINFORMATION_H

// Returns the commit that the program was built from, with "-changed" after it if the files differed
// from it, or "unknown". The environment variable ANECHOIC_COMMIT tells it to the build.
const char *anechoic_build_commit(void);

#endif
