#ifndef ANECHOIC_CLIVEPAGE_H
#define ANECHOIC_CLIVEPAGE_H

#include <stddef.h>

// A file of the live page or of the page to try the server, which the executable contains.
typedef struct {
  // The path for browsers: "/live/main.js".
  const char *path;
  const char *type;
  const unsigned char *bytes;
  size_t size;
} clp_file;

// The files, in no particular order.
const clp_file *clp_files(void);
size_t clp_files_count(void);

#endif
