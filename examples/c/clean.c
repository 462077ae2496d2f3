/* Removes the echo from a recording, in real time:  clean SERVER MIC.s16 LOUDSPEAKER.s16 VOICE.s16
 * The files contain 16-bit samples at 16 kHz, mono.
 * Build:  cc clean.c -o clean -lanechoic */
#include <anechoic.h>
#include <stdio.h>
#include <time.h>

enum { FRAME = 160 }; /* 10 ms */

int main(int count, char **arguments) {
  if (count != 5) return fprintf(stderr, "usage: clean SERVER MIC LOUDSPEAKER VOICE\n"), 64;
  FILE *microphone = fopen(arguments[2], "rb"), *loudspeaker = fopen(arguments[3], "rb");
  FILE *voice = fopen(arguments[4], "wb");
  if (!microphone || !loudspeaker || !voice) return perror("clean"), 2;

  anechoic_options options;
  anechoic_options_init(&options);
  options.server = arguments[1];
  options.sample_rate_hz = 16000;
  options.reference_channels = 1;
  char message[256];
  anechoic_session *session = anechoic_open(&options, message, sizeof message);
  if (!session) return fprintf(stderr, "clean: %s\n", message), 2;

  int16_t mic[FRAME], reference[FRAME], output[FRAME];
  struct timespec next;
  clock_gettime(CLOCK_MONOTONIC, &next);
  while (fread(mic, 2, FRAME, microphone) == FRAME && fread(reference, 2, FRAME, loudspeaker)) {
    anechoic_push_int16(session, mic, reference, FRAME);
    fwrite(output, 2, anechoic_pull_int16(session, output, FRAME), voice);
    for (anechoic_event event; anechoic_next_event(session, &event);)
      fprintf(stderr, "event %d at %lld: %d %s\n", event.kind, (long long)event.sample, event.value,
              event.text);
    next.tv_nsec += 10000000;
    if (next.tv_nsec >= 1000000000) next.tv_sec++, next.tv_nsec -= 1000000000;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
  }
  anechoic_close(session);
  return fclose(voice) ? 2 : 0;
}
