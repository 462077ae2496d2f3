#ifndef CPROGRAMARGUMENTS_H
#define CPROGRAMARGUMENTS_H

// A program with this module gets the arguments of Swift's CommandLine from the loader. Swift reads
// /proc/self/cmdline, and without /proc the program would run as if it had none.

#endif
