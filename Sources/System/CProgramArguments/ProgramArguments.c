#include "CProgramArguments.h"

// Of Swift's library.
void _swift_stdlib_overrideUnsafeArgvArgc(char **arguments, int count);

// glibc calls constructors with the arguments of main.
__attribute__((constructor)) static void pass_on(int count, char **arguments) {
  _swift_stdlib_overrideUnsafeArgvArgc(arguments, count);
}
