#pragma once

#include <sys/types.h>

// Forks. The child is killed when this thread ends, so that a test that is killed leaves no child
// behind. Returns 0 in the child, which must only call exec or _exit.
pid_t forkChild();
