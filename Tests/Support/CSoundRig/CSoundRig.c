#define _GNU_SOURCE
#include "CSoundRig.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

int rig_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int rig_close_from(void *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}
