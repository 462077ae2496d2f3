/* A program of version 0.1, compiled with its header. Runs with the library of today.
 *
 *   first-caller SERVER
 *
 * Ends with 0 once the library has returned processed sound and the event about it. */
#include <anechoic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct guarded {
  anechoic_options options;
  unsigned char guard[64];
};

struct guarded_event {
  anechoic_event event;
  unsigned char guard[64];
};

static int is_intact(const unsigned char *guard) {
  for (int index = 0; index < 64; index++)
    if (guard[index] != 0xa5) return 0;
  return 1;
}

int main(int count, char **arguments) {
  if (count != 2) return 64;
  struct guarded guarded;
  struct guarded_event event;
  memset(&guarded, 0xa5, sizeof guarded);
  memset(&event, 0xa5, sizeof event);
  anechoic_options_init(&guarded.options);
  if (!is_intact(guarded.guard)) return puts("options_init wrote too much"), 1;
  if (guarded.options.size != sizeof guarded.options) return puts("the size is another"), 1;
  guarded.options.server = arguments[1];
  guarded.options.sample_rate_hz = 16000;
  char message[200];
  anechoic_session *session = anechoic_open(&guarded.options, message, sizeof message);
  if (!session) return puts(message), 1;
  float samples[160] = {0};
  const struct timespec pause = {0, 10000000};
  for (int block = 0; block < 3000; block++) {
    anechoic_push(session, samples, NULL, 160);
    if (anechoic_pull(session, samples, 160) != 160) return puts("too few samples"), 1;
    while (anechoic_next_event(session, &event.event)) {
      if (!is_intact(event.guard)) return puts("next_event wrote too much"), 1;
      if (event.event.kind == ANECHOIC_EVENT_PROCESSING) {
        anechoic_close(session);
        return 0;
      }
    }
    nanosleep(&pause, NULL);
  }
  return puts("there is no processed sound"), 1;
}
