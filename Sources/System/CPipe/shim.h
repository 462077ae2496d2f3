#include <sys/types.h>

// <fcntl.h> declares this function of Linux only for _GNU_SOURCE.
ssize_t tee(int in, int out, size_t count, unsigned int flags);
