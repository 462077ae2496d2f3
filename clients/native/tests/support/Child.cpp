#include "Child.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "Checks.h"

pid_t forkChild() {
  const pid_t child = fork();
  check(child >= 0, "a process can be made");
  if (child == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
  return child;
}
