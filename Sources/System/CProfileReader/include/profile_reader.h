#ifndef PROFILE_READER_H
#define PROFILE_READER_H

#include <stddef.h>
#include <sys/types.h>

// Returns the descriptor of a new file in memory, or -1.
int profile_reader_file(void);

// Starts a program with one argument, `input` and `output` as its standard input and output, and no
// other open file. The program gets no environment but LD_LIBRARY_PATH. Returns its process id, or -1.
pid_t profile_reader_spawn(const char *program, const char *argument, int input, int output);

// Limits this process permanently: `memory` more bytes, `seconds` of processor time, `output` bytes
// in a file, no new file, no new process, and only the system calls that computing, reading and
// writing need. Any other system call ends the process. Returns 0, or -1 if a limit cannot be set.
int profile_reader_limit(size_t memory, unsigned seconds, size_t output);

#endif
