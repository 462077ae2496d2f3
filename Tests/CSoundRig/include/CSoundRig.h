#pragma once

// GNU's functions for starting programs, which Swift does not see. Without headers of the system,
// whose types would then seem to be this module's.

/// A pipe that no program inherits. 0, or -1 and errno.
int rig_pipe(int ends[2]);

/// The program shall have no descriptor from `first` on. `actions`: posix_spawn_file_actions_t.
int rig_close_from(void *actions, int first);
