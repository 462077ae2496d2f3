/* A program that loads the library as a plug-in of its own, and unloads it, three times.
 *
 *     reloader LIBRARY SERVER
 */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include "anechoic.h"

int main(int count, char **arguments) {
  if (count != 3) return 64;
  for (int round = 0; round < 3; ++round) {
    void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
      fputs(dlerror(), stderr);
      return 1;
    }
    void (*init)(anechoic_options *, size_t) = dlsym(library, "anechoic_options_init_size");
    anechoic_session *(*open)(const anechoic_options *, char *, size_t) = dlsym(library, "anechoic_open");
    void (*close)(anechoic_session *) = dlsym(library, "anechoic_close");
    anechoic_options options;
    init(&options, sizeof options);
    options.server = arguments[2];
    anechoic_session *session = open(&options, NULL, 0);
    usleep(100000);
    close(session);
    dlclose(library);
  }
  return 0;
}
