/* Voice processing by an Anechoic server, for programs in C and C++.
 *
 *     anechoic_options options;
 *     anechoic_options_init(&options);
 *     options.reference_channels = 1;
 *     anechoic_session *session = anechoic_open(&options, NULL, 0);
 *     ...
 *     anechoic_push(session, microphone, loudspeaker, 480);
 *     size_t count = anechoic_pull(session, voice, 480);
 *     ...
 *     anechoic_close(session);
 *
 * No function waits for the network, but anechoic_close. anechoic_pull returns as many samples as
 * anechoic_push took, at a constant delay. While there is no processed sound, because the server is absent,
 * late, or refuses the session, the output is the microphone or silence. The session reconnects by itself;
 * events say so.
 *
 * Threads: anechoic_push and anechoic_pull, and those for far ends and the playback, are for audio threads. They
 * do not wait, lock or allocate, and neither do anechoic_is_processing, anechoic_is_muted and
 * anechoic_set_muted. One thread pushes and one thread pulls; it may be the same thread. A push that overlaps
 * another push, or a pull that overlaps another pull, does nothing. All other functions may be called from any
 * thread at any time.
 *
 * Samples are interleaved, and counts are in sample frames (one sample for each channel). A NULL session,
 * array or text, and a count that no array can have, such as a negative result that was converted, do
 * nothing. Pushed samples that are infinite or no numbers become silence. Processed samples are in -4...4: of
 * those that the server sends, infinite ones become full scale, and those that are no numbers silence.
 *
 * Structures may grow in later versions. Each one says its size to the library, so a program works with a
 * later library, and with an earlier one as long as it uses nothing new. Link with -lanechoic.
 */
#ifndef ANECHOIC_H
#define ANECHOIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct anechoic_session anechoic_session;

typedef enum {
  ANECHOIC_STANDARD = 0,
  ANECHOIC_VOICE_ISOLATION = 1,
  ANECHOIC_WIDE_SPECTRUM = 2,
} anechoic_mic_mode;

/* The sound while there is no processed sound. */
typedef enum {
  ANECHOIC_FALLBACK_MICROPHONE = 0,
  ANECHOIC_FALLBACK_SILENCE = 1,
} anechoic_fallback;

/* How much other audio is lowered in the playback. */
typedef enum {
  /* 12 dB. */
  ANECHOIC_DUCKING_DEFAULT = 0,
  /* 4 dB. */
  ANECHOIC_DUCKING_MIN = 1,
  /* 18 dB. */
  ANECHOIC_DUCKING_MID = 2,
  /* 30 dB. */
  ANECHOIC_DUCKING_MAX = 3,
} anechoic_ducking;

/* The direction in which two microphones near each other hear together. */
typedef enum {
  /* Each microphone is a channel. */
  ANECHOIC_NO_PATTERN = 0,
  /* The first microphone's side, and nothing from the opposite side. */
  ANECHOIC_CARDIOID = 1,
  /* Each channel hears its own side. The first microphone is on the left. */
  ANECHOIC_STEREO = 2,
} anechoic_polar_pattern;

/* Two microphones near each other. */
typedef struct {
  anechoic_polar_pattern pattern;
  /* Their distance, 5 to 50 mm. Counts only with a pattern. */
  float spacing_millimeters;
  /* Whether the device is held the other way round, so that the second microphone is in front, or left. */
  bool turned;
} anechoic_microphone_pair;

/* Texts are copied by anechoic_open. A text that is NULL is left to the library or the server, and so is a
 * token_file that is empty. */
typedef struct {
  /* Set by anechoic_options_init. */
  size_t size;
  /* "HOST:PORT" or "unix:PATH". Default "127.0.0.1:50051". */
  const char *server;
  /* The owner of the session, for a server that does not verify clients: 1 to 100 bytes of printable
   * ASCII. */
  const char *client_name;
  /* A file with a bearer token. It is read again when it changes. */
  const char *token_file;
  /* Whether to use TLS. A certificate authority or a certificate implies it. */
  bool tls;
  /* PEM files: the authorities that verify the server, and the client's certificate with its key. */
  const char *ca_file;
  const char *certificate_file;
  const char *key_file;
  /* 8000, 16000, 24000, 32000, 44100 or 48000. Default 48000. */
  uint32_t sample_rate_hz;
  /* 1 or 2. Default 1. */
  uint32_t microphone_channels;
  /* 0 (no reference, the default), 1 or 2. */
  uint32_t reference_channels;
  anechoic_mic_mode mic_mode;
  /* The name of an engine. */
  const char *engine;
  bool muted;
  /* The delay from anechoic_push to anechoic_pull, 50 to 1000. Default 120. A block that is longer than
   * 10 ms arrives that much later, so add what exceeds 10 ms. */
  uint32_t delay_ms;
  anechoic_fallback fallback;
  /* Whether the sound is Opus on the network, with 32 kb/s for each channel, at 8000, 16000, 24000 or
   * 48000 samples per second. It needs 20 ms more of delay_ms. */
  bool opus;
  /* Since version 0.2 of the library: */
  /* The name that the server's certificate must have, with TLS. NULL: the host of `server`. */
  const char *server_name;
  /* The time without anechoic_push after which the session ends, in milliseconds. The next push starts
   * another session. 0, the default: the session waits for as long as the server allows. */
  uint64_t idle_ms;
  /* How the two microphones of a microphone with two channels hear together. anechoic_report_route changes
   * it during a session. */
  anechoic_microphone_pair microphone_pair;
  /* The mix of the far ends for the loudspeaker, anechoic_pull_playback: 0 (no playback, the default), 1 or 2.
   * Without a reference, it is the echo reference. It is not compressed, also with `opus`. */
  uint32_t playback_channels;
  /* The ids of the named far ends, which need a playback: at most 16, each up to 63 of a-z A-Z 0-9 - _ and
   * the full stop. Each has one channel. Default NULL, 0. */
  const char *const *far_ends;
  uint32_t far_end_count;
  /* Whether far ends are heard from their places, anechoic_place_far_end, with headphones as the route, see
   * anechoic_report_route, and two channels of playback. Otherwise they are mixed down. */
  bool spatial_audio;
  /* Whether anechoic_report_head_pose turns the places. */
  bool head_tracked;
  /* Music, prompts and other sound of the device, anechoic_push_other_audio: 0 (none, the default), 1 or 2. It
   * needs a playback, in which the session lowers it, and with a playback of two channels it is heard in
   * space as the far ends are. */
  uint32_t other_audio_channels;
  anechoic_ducking other_audio_ducking;
  /* Whether other audio is lowered fully while somebody talks, and by a third of it (in dB) otherwise. */
  bool advanced_ducking;
  /* The voice that ANECHOIC_VOICE_ISOLATION keeps: the bytes of anechoic_copy_voiceprint. Without one, it keeps the
   * nearest voice. NULL, 0: none. */
  const void *voiceprint;
  size_t voiceprint_size;
  /* Learns the voice at the microphone from the beginning, like anechoic_enroll_voice. */
  bool enroll_voice;
} anechoic_options;

typedef enum {
  /* The output is processed from here on. text: the name of the session. */
  ANECHOIC_EVENT_PROCESSING = 0,
  /* The output is the microphone or silence from here on. text: the reason. */
  ANECHOIC_EVENT_FALLBACK = 1,
  /* Processed sound came too late in the last second or longer. value: by how many ms at most. A
     longer delay_ms helps. At most once in 10 s. */
  ANECHOIC_EVENT_LATE = 2,
  /* The near end started (value 1) or stopped (0) talking, muted or not. */
  ANECHOIC_EVENT_VOICE_ACTIVITY = 3,
  /* Somebody started (1) or stopped (0) talking while the session is muted. */
  ANECHOIC_EVENT_MUTED_SPEECH = 4,
  /* The session was muted (1) or unmuted (0). */
  ANECHOIC_EVENT_MUTE_CHANGED = 5,
  /* A gesture asks to mute (1) or unmute (0). text: its id, for anechoic_decide_gesture. */
  ANECHOIC_EVENT_GESTURE_REQUESTED = 6,
  /* A client asks to inject speech. text: its name, for anechoic_decide_injection. */
  ANECHOIC_EVENT_INJECTION_REQUESTED = 7,
  /* Any other event of the session. text: the message anechoic.v1.SessionEvent as JSON. */
  ANECHOIC_EVENT_OTHER = 8,
} anechoic_event_kind;

typedef struct {
  anechoic_event_kind kind;
  int32_t value;
  /* The position in the microphone's samples, or -1. */
  int64_t sample;
  /* Ends with 0. Longer texts are cut: anechoic_copy_event_text has the whole text. */
  char text[1024];
} anechoic_event;

/* Fills in the defaults. The macro passes the size that the program was compiled with. The function of the
 * same name, for programs of version 0.1 and for other languages, knows only the fields of version 0.1. */
void anechoic_options_init(anechoic_options *options);
void anechoic_options_init_size(anechoic_options *options, size_t size);
#define anechoic_options_init(options) \
  anechoic_options_init_size((options), sizeof(anechoic_options))

/* Opens a session and begins to connect. Returns NULL if an option is not valid, with the reason in
 * `message`, unless that is NULL. An absent server is not an error: an event reports it. */
anechoic_session *anechoic_open(
    const anechoic_options *options, char *message, size_t message_size);

/* Adds samples of one instant, in -1...1. `reference` may be NULL: silence. */
void anechoic_push(
    anechoic_session *session, const float *microphone, const float *reference, size_t frames);
void anechoic_push_int16(
    anechoic_session *session, const int16_t *microphone, const int16_t *reference, size_t frames);

/* Takes processed samples, with the microphone's channels. Returns their number: as many as were pushed
 * and not pulled yet, and at most `frames`. Samples that nobody pulls for two seconds are dropped. */
size_t anechoic_pull(anechoic_session *session, float *output, size_t frames);
size_t anechoic_pull_int16(anechoic_session *session, int16_t *output, size_t frames);

/* Adds samples of the far end with an index in options.far_ends, in -1...1. Push the far ends of an instant
 * before the microphone of the same instant. Returns their number: less than `frames` where a far end is more
 * than two seconds ahead of the microphone, and 0 for an unknown index. A far end that pauses is silent, and
 * does not hold up the others. Does not wait, lock or allocate; one thread pushes each far end. */
size_t anechoic_push_far_end(anechoic_session *session, uint32_t index, const float *samples, size_t frames);
size_t anechoic_push_far_end_int16(
    anechoic_session *session, uint32_t index, const int16_t *samples, size_t frames);

/* Adds samples of other audio, with options.other_audio_channels, as anechoic_push_far_end does for a far end.
 * Returns the number of sample frames, which is 0 without other_audio_channels. */
size_t anechoic_push_other_audio(anechoic_session *session, const float *samples, size_t frames);
size_t anechoic_push_other_audio_int16(anechoic_session *session, const int16_t *samples, size_t frames);

/* Takes the mix for the loudspeaker, with options.playback_channels, delay_ms after the microphone with whose
 * samples the far ends and other audio came. Returns the number of sample frames: as many as were pushed of the
 * microphone and not taken yet, and at most `frames`. While there is no mix from the server, it is the sum of the
 * far ends and of other audio, which is then not lowered.
 * Does not wait, lock or allocate; one thread takes it. */
size_t anechoic_pull_playback(anechoic_session *session, float *output, size_t frames);
size_t anechoic_pull_playback_int16(anechoic_session *session, int16_t *output, size_t frames);

/* The place of a far end, in a room in which the listener's head is the origin. */
typedef struct {
  /* -360 to 360. 0 is straight ahead, 90 is to the left. */
  float azimuth_degrees;
  /* -90 to 90. 90 is straight up. */
  float elevation_degrees;
  /* 0.1 to 100. */
  float distance_meters;
  /* -60 to 12. Also counts where far ends are mixed down. */
  float gain_db;
} anechoic_place;

/* Places a far end. Returns false, and changes nothing, for an unknown index or a value out of range. Without a
 * place, a far end is straight ahead at 1 m. The last place counts, also in the sessions that follow. */
bool anechoic_place_far_end(anechoic_session *session, uint32_t index, const anechoic_place *place);
/* Changes options.spatial_audio and options.head_tracked. */
void anechoic_set_spatial_audio(anechoic_session *session, bool enabled, bool head_tracked);
/* Reports how the listener's head is turned, in degrees, -360 to 360: it turns left by `yaw`, then looks up by
 * `pitch`, then tilts to the right by `roll`. The last pose counts, also in the sessions that follow. Returns
 * false for a value out of range. */
bool anechoic_report_head_pose(anechoic_session *session, float yaw, float pitch, float roll);

/* The microphone and the loudspeaker in use. */
typedef struct {
  /* sizeof(anechoic_route). */
  size_t size;
  /* Ids that survive reboots and replugging, up to 255 bytes. NULL: there is none. */
  const char *input_id;
  const char *output_id;
  /* Whether only the wearer hears the output. Echo cancellation then pauses. */
  bool headphones;
  /* In place of options.microphone_pair, also in a call. ANECHOIC_NO_PATTERN: that of the options. */
  anechoic_microphone_pair microphone_pair;
} anechoic_route;

/* Reports the devices in use, at first and after a change. NULL: none suits. The last report counts, also in the
 * sessions that follow. Returns false, and changes nothing, for ids or a pair that are not valid. */
bool anechoic_report_route(anechoic_session *session, const anechoic_route *route);

/* Returns whether there was an event, and removes it. The newest 256 events are kept. For the macro, see
 * anechoic_options_init. */
bool anechoic_next_event(anechoic_session *session, anechoic_event *event);
bool anechoic_next_event_size(anechoic_session *session, anechoic_event *event, size_t size);
#define anechoic_next_event(session, event) \
  anechoic_next_event_size((session), (event), sizeof(anechoic_event))
/* Copies the whole text of the event that anechoic_next_event returned last, with a 0 at its end, if `buffer` has room
 * for it; 65536 bytes always suffice. Returns its size with the 0, or 0 if there is no text. If several threads
 * take events, the last event may be another thread's. */
size_t anechoic_copy_event_text(anechoic_session *session, char *buffer, size_t size);

/* Losses since anechoic_open, in sample frames. */
typedef struct {
  /* The microphone's samples that no session has received. Samples of the last two seconds may still be sent.
   * Those on their way to a session that never continued do not count. */
  uint64_t unsent;
  /* Processed samples that came after their time. */
  uint64_t late;
  /* Samples that nobody pulled for two seconds. */
  uint64_t unpulled;
  /* Samples of pushes that overlapped another push. */
  uint64_t overlapping;
  /* Processed samples that belong to nothing that was sent: the server is broken, or not Anechoic's. */
  uint64_t misplaced;
} anechoic_losses;

/* Reads the losses. `size` is sizeof(anechoic_losses). */
void anechoic_read_losses(anechoic_session *session, anechoic_losses *losses, size_t size);

/* Returns whether the samples that were pulled last are processed. */
bool anechoic_is_processing(anechoic_session *session);

/* A muted session outputs silence, at once, and also while there is no server. Processed sound from before the
 * mute fades out within 10 ms. Samples that are pushed between a mute and the next unmute are never heard, also
 * if this time is shorter than delay_ms. A new session begins with the state of the one before, whoever changed
 * it. Speech that a client with permission injects is heard. */
void anechoic_set_muted(anechoic_session *session, bool muted);
bool anechoic_is_muted(anechoic_session *session);
/* The last decision about a gesture or a client counts. Texts that no event can have do nothing: longer ones
 * than 1023 bytes, or others than UTF-8. */
void anechoic_decide_gesture(anechoic_session *session, const char *gesture_id, bool accept);
/* Also counts in the sessions that follow, for as long as the library connects again by itself. */
void anechoic_decide_injection(anechoic_session *session, const char *client, bool grant);

/* The state of the last enrollment of a voice. */
typedef enum {
  /* There was none, or anechoic_set_voiceprint ended it. */
  ANECHOIC_ENROLLMENT_NONE = 0,
  ANECHOIC_ENROLLMENT_LEARNING = 1,
  /* The voice is kept from here on, and anechoic_copy_voiceprint has it. */
  ANECHOIC_ENROLLMENT_LEARNT = 2,
  /* Several voices were heard. */
  ANECHOIC_ENROLLMENT_SEVERAL_VOICES = 3,
  /* Less than 2 s of a sure voice were heard in 60 s, or before options.idle_ms ended the session. */
  ANECHOIC_ENROLLMENT_TOO_LITTLE_VOICE = 4,
  /* The server has refused the last anechoic_enroll_voice or anechoic_set_voiceprint: the engine learns no voice, the
   * client lacks the scope `enroll`, or the voiceprint does not fit the engine. The voice from before is kept. Or a
   * server has refused a session that learns a voice or keeps one, and the session begins without that. */
  ANECHOIC_ENROLLMENT_REFUSED = 5,
} anechoic_enrollment;

/* Learns the voice at the microphone: 3 s of it, without echo and noise, and while nothing plays. Until it is known,
 * the voice from before is kept. Begins anew in a session that follows one that was lost or that the server has ended;
 * this session also keeps the voice. Without a server, it waits for one. Returns false for no session. */
bool anechoic_enroll_voice(anechoic_session *session);
/* Keeps another voice, and ends an enrollment. NULL or 0 bytes: the voice is forgotten, and the nearest one is kept.
 * Returns false, and changes nothing, for bytes that are no voiceprint. */
bool anechoic_set_voiceprint(anechoic_session *session, const void *voiceprint, size_t size);
anechoic_enrollment anechoic_read_enrollment(anechoic_session *session);
/* Copies the voiceprint that was learnt, if `buffer` has room for it; 4096 bytes always suffice. Returns its size, or
 * 0 if none was learnt. It identifies a person: keep it as such. Python's Session.voiceprint and
 * `anechoic process --save-voiceprint` have the same bytes. */
size_t anechoic_copy_voiceprint(anechoic_session *session, void *buffer, size_t size);

/* Ends the session and frees it: no other function may use it then. NULL is allowed. Waits for the server and
 * for the connection's end for some 200 ms at most. */
void anechoic_close(anechoic_session *session);

/* A call of this machine, for a program that leaves the sound devices to the edge agent (anechoic-edge):
 * between calls, the agent has no session, its devices are closed, and it leaves other programs alone. */
typedef struct anechoic_call anechoic_call;

/* Holds a call until anechoic_release_call, or until the program ends, however it ends. Returns at once. While
 * the agent is away, the library asks it again every second. `socket` is the agent's control socket; NULL
 * finds that of this user's agent, or of the service. `holder` is the name of the program: 1 to 100 printable
 * ASCII characters. Returns NULL if one of them is not valid, with the reason in `message`, which has
 * `message_size` bytes and may be NULL. */
anechoic_call *anechoic_hold_call(const char *socket, const char *holder, char *message, size_t message_size);
/* Whether the agent has confirmed it, and is still there. */
bool anechoic_is_call_held(anechoic_call *call);
/* Ends the call, unless something else holds it, and frees it. NULL is allowed. */
void anechoic_release_call(anechoic_call *call);

/* Sound that a program plays to the person as a far end of its own, by the edge agent of the machine. The agent
 * takes the samples at the pace of its microphone, and has no audio thread here: these functions may lock and
 * allocate. One thread at a time uses a far end. */
typedef struct anechoic_far_end anechoic_far_end;

/* Begins to play. Returns at once; anechoic_is_far_end_over tells a refusal. `socket` is as in
 * anechoic_hold_call. `name` is that of one of programs.far_ends, or any other if programs.spare_far_ends has
 * room: 1 to 63 of a-z A-Z 0-9 - _ and the full stop. `sample_rate_hz` is 8000, 16000, 24000, 32000, 44100 or
 * 48000, and `channels` 1 or 2, of which the agent makes one. `place` is where the far end is heard with spatial
 * audio; NULL: its place in programs.far_ends, or straight ahead. Returns NULL if one of them is not valid, with
 * the reason in `message`, which has `message_size` bytes and may be NULL. */
anechoic_far_end *anechoic_play_far_end(
    const char *socket, const char *name, uint32_t sample_rate_hz, uint32_t channels, const anechoic_place *place,
    char *message, size_t message_size);
/* Adds samples in -1...1, interleaved. Does not wait. Returns the number of sample frames for which there was
 * room: at most a second waits here. 0 once the far end is over. */
size_t anechoic_write_far_end(anechoic_far_end *far_end, const float *samples, size_t frames);
/* Moves the far end, after the samples that were written before. Returns false, and changes nothing, for a value
 * out of range. */
bool anechoic_move_far_end(anechoic_far_end *far_end, const anechoic_place *place);
/* Whether the agent plays no more, because it is away or refuses, with the reason in `message`. */
bool anechoic_is_far_end_over(anechoic_far_end *far_end, char *message, size_t message_size);
/* Ends the far end once the agent has taken what was written, at the latest after 10 s, and frees it. NULL
 * is allowed. */
void anechoic_end_far_end(anechoic_far_end *far_end);

#ifdef __cplusplus
}
#endif
#endif
