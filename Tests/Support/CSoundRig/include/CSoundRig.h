#pragma once

// Functions of glibc for starting programs, which Swift cannot see. This header includes no system
// headers, because their types would then seem to belong to this module.

/// Creates a pipe that no program inherits. Returns 0, or -1 and errno.
int rig_pipe(int ends[2]);

/// Closes all descriptors from `first` on in the program that is started. `actions` is a
/// posix_spawn_file_actions_t.
int rig_close_from(void *actions, int first);
