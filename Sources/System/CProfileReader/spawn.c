#define _GNU_SOURCE
#include "profile_reader.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

int profile_reader_file(void) { return memfd_create("anechoic-profile", MFD_CLOEXEC); }

static int spawn(pid_t *process, const char *program, const char *argument, int input, int output,
                 posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  char path[4096] = "LD_LIBRARY_PATH=";
  const char *libraries = getenv("LD_LIBRARY_PATH");
  char *environment[] = {NULL, NULL};
  if (libraries) {
    int length = snprintf(path, sizeof path, "LD_LIBRARY_PATH=%s", libraries);
    if (length > 0 && (size_t)length < sizeof path) environment[0] = path;
  }
  char *arguments[] = {(char *)"anechoic-profile-reader", (char *)argument, NULL};
  if (posix_spawn_file_actions_adddup2(actions, input, 0) != 0 ||
      posix_spawn_file_actions_adddup2(actions, output, 1) != 0 ||
      posix_spawn_file_actions_addopen(actions, 2, "/dev/null", O_WRONLY, 0) != 0 ||
      posix_spawn_file_actions_addclosefrom_np(actions, 3) != 0 ||
      posix_spawnattr_setsigmask(attributes, &none) != 0 ||
      posix_spawnattr_setsigdefault(attributes, &all) != 0 ||
      posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) != 0)
    return -1;
  return posix_spawn(process, program, actions, attributes, arguments, environment);
}

pid_t profile_reader_spawn(const char *program, const char *argument, int input, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  pid_t process = -1;
  if (posix_spawn_file_actions_init(&actions) != 0) return -1;
  if (posix_spawnattr_init(&attributes) == 0) {
    if (spawn(&process, program, argument, input, output, &actions, &attributes) != 0) process = -1;
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return process;
}
