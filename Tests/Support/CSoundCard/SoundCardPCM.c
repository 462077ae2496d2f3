// The PCM type "soundcard". Its keys:
//
//   card      The file of the card.
//   format    S16_LE, S24_3LE, S24_LE or S32_LE.
//   map       The positions of the channels, such as "FL FR RL RR". Without it, the PCM reports none.
//   hears     The file of a card whose sound is captured too, through a simulated room.
//   direct    The first channel, from 1, that captures the sound of `hears` unchanged, without the room.

// The macros of ALSA for plug-ins ask for it.
#define PIC
#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <math.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "Card.h"
#include "Room.h"

enum { longest_buffer = 1 << 16 };

struct sound_card {
  snd_pcm_ioplug_t plug;
  struct card *card;
  struct room *room;
  snd_pcm_chmap_t *map;
  unsigned first_direct;
  int64_t start;  // The sample of the card at which the stream started.
  float *waiting;  // The frames that were written before the stream started.
};

static int is_playback(const snd_pcm_ioplug_t *io) { return io->stream == SND_PCM_STREAM_PLAYBACK; }

// The bytes of a sample, and the bits by which 32 bits are moved to become one.
static void layout(snd_pcm_format_t format, int *bytes, int *shift) {
  *bytes = snd_pcm_format_physical_width(format) / 8;
  *shift = 32 - snd_pcm_format_width(format);
}

static unsigned char *place(const snd_pcm_channel_area_t *area, snd_pcm_uframes_t frame) {
  return (unsigned char *)area->addr + (area->first + area->step * frame) / 8;
}

static void put(const snd_pcm_ioplug_t *io, unsigned char *place, float sample) {
  int bytes, shift;
  layout(io->format, &bytes, &shift);
  double value = fmax(-1, fmin(1, sample)) * 2147483647.0;
  int32_t code = (int32_t)lrint(value) >> shift;
  for (int byte = 0; byte < bytes; byte++) place[byte] = (unsigned char)(code >> (8 * byte));
}

static float get(const snd_pcm_ioplug_t *io, const unsigned char *place) {
  int bytes, shift;
  layout(io->format, &bytes, &shift);
  uint32_t code = 0;
  for (int byte = 0; byte < bytes; byte++) code |= (uint32_t)place[byte] << (8 * byte);
  return (float)((double)(int32_t)(code << shift) / 2147483648.0);
}

static int sound_card_start(snd_pcm_ioplug_t *io) {
  struct sound_card *this = io->private_data;
  this->start = (int64_t)floor(card_sample(this->card, card_now()));
  if (is_playback(io))
    for (snd_pcm_uframes_t frame = 0; frame < io->appl_ptr && frame < longest_buffer; frame++)
      card_add(this->card, this->start + (int64_t)frame, this->waiting + frame * io->channels);
  long step = (long)(5e8 * (double)io->period_size / io->rate);
  struct itimerspec tick = {.it_interval.tv_nsec = step, .it_value.tv_nsec = step};
  return timerfd_settime(io->poll_fd, 0, &tick, NULL) < 0 ? -errno : 0;
}

static int sound_card_stop(snd_pcm_ioplug_t *io) {
  struct itimerspec never = {0};
  timerfd_settime(io->poll_fd, 0, &never, NULL);
  return 0;
}

static snd_pcm_sframes_t sound_card_pointer(snd_pcm_ioplug_t *io) {
  struct sound_card *this = io->private_data;
  if (!card_is_present(this->card)) return -ENODEV;
  if (io->state != SND_PCM_STATE_RUNNING && io->state != SND_PCM_STATE_DRAINING) return 0;
  int64_t position = (int64_t)floor(card_sample(this->card, card_now())) - this->start;
  int64_t written = (int64_t)io->appl_ptr;
  if (is_playback(io) ? position > written : position - written > (int64_t)io->buffer_size) {
    if (io->state == SND_PCM_STATE_RUNNING) return -EPIPE;
    position = written;
  }
  return position % (int64_t)io->buffer_size;
}

static void play(struct sound_card *this, const snd_pcm_channel_area_t *areas,
                 snd_pcm_uframes_t offset, snd_pcm_uframes_t size) {
  snd_pcm_ioplug_t *io = &this->plug;
  int runs = io->state == SND_PCM_STATE_RUNNING;
  for (snd_pcm_uframes_t frame = 0; frame < size; frame++) {
    snd_pcm_uframes_t position = io->appl_ptr + frame;
    float samples[card_most_channels];
    for (unsigned channel = 0; channel < io->channels; channel++)
      samples[channel] = get(io, place(&areas[channel], offset + frame));
    if (runs)
      card_add(this->card, this->start + (int64_t)position, samples);
    else if (position < longest_buffer)
      memcpy(this->waiting + position * io->channels, samples, io->channels * sizeof *samples);
  }
}

static void capture(struct sound_card *this, const snd_pcm_channel_area_t *areas,
                    snd_pcm_uframes_t offset, snd_pcm_uframes_t size) {
  snd_pcm_ioplug_t *io = &this->plug;
  for (snd_pcm_uframes_t frame = 0; frame < size; frame++) {
    int64_t sample = this->start + (int64_t)(io->appl_ptr + frame);
    float echo = 0;
    if (this->room) {
      room_step(this->room, card_time(this->card, (double)sample));
      echo = room_sound(this->room);
    }
    for (unsigned channel = 0; channel < io->channels; channel++) {
      int isDirect = channel + 1 >= this->first_direct;
      float heard = !this->room  ? 0
                    : isDirect ? room_direct(this->room, channel + 1 - this->first_direct)
                               : echo;
      put(io, place(&areas[channel], offset + frame),
          heard + card_sound(this->card, sample, channel));
    }
  }
}

static snd_pcm_sframes_t sound_card_transfer(snd_pcm_ioplug_t *io,
                                             const snd_pcm_channel_area_t *areas,
                                             snd_pcm_uframes_t offset, snd_pcm_uframes_t size) {
  struct sound_card *this = io->private_data;
  if (!card_is_present(this->card)) return -ENODEV;
  if (is_playback(io))
    play(this, areas, offset, size);
  else
    capture(this, areas, offset, size);
  return (snd_pcm_sframes_t)size;
}

static int sound_card_prepare(snd_pcm_ioplug_t *io) {
  struct sound_card *this = io->private_data;
  if (!card_is_present(this->card)) return -ENODEV;
  if (this->room) room_reset(this->room);
  return 0;
}

static int sound_card_poll_revents(snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned count,
                                   unsigned short *events) {
  uint64_t ticks;
  *events = 0;
  if (count < 1 || !(descriptors[0].revents & POLLIN)) return 0;
  if (read(io->poll_fd, &ticks, sizeof ticks) == sizeof ticks)
    *events = is_playback(io) ? POLLOUT : POLLIN;
  return 0;
}

static snd_pcm_chmap_t *copy(const snd_pcm_chmap_t *map) {
  if (!map) return NULL;
  size_t size = sizeof *map + map->channels * sizeof map->pos[0];
  snd_pcm_chmap_t *new = malloc(size);
  return new ? memcpy(new, map, size) : NULL;
}

static snd_pcm_chmap_t *sound_card_get_map(snd_pcm_ioplug_t *io) {
  return copy(((struct sound_card *)io->private_data)->map);
}

static snd_pcm_chmap_query_t **sound_card_query_maps(snd_pcm_ioplug_t *io) {
  snd_pcm_chmap_t *map = ((struct sound_card *)io->private_data)->map;
  if (!map) return NULL;
  snd_pcm_chmap_query_t **queries = calloc(2, sizeof *queries);
  size_t size = map->channels * sizeof map->pos[0];
  if (!queries || !(queries[0] = malloc(sizeof **queries + size))) {
    free(queries);
    return NULL;
  }
  queries[0]->type = SND_CHMAP_TYPE_FIXED;
  queries[0]->map.channels = map->channels;
  memcpy(queries[0]->map.pos, map->pos, size);
  return queries;
}

static void release(struct sound_card *this) {
  if (this->card) card_close(this->card);
  if (this->room) room_close(this->room);
  if (this->plug.poll_fd >= 0) close(this->plug.poll_fd);
  free(this->map);
  free(this->waiting);
  free(this);
}

static int sound_card_close(snd_pcm_ioplug_t *io) {
  release(io->private_data);
  return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {
    .start = sound_card_start,
    .stop = sound_card_stop,
    .pointer = sound_card_pointer,
    .transfer = sound_card_transfer,
    .close = sound_card_close,
    .prepare = sound_card_prepare,
    .poll_revents = sound_card_poll_revents,
    .query_chmaps = sound_card_query_maps,
    .get_chmap = sound_card_get_map,
};

// Limits the PCM to the format of the card.
static int constrain(struct sound_card *this, const char *format) {
  static const unsigned accesses[] = {SND_PCM_ACCESS_RW_INTERLEAVED,
                                      SND_PCM_ACCESS_MMAP_INTERLEAVED};
  snd_pcm_ioplug_t *io = &this->plug;
  unsigned code = (unsigned)snd_pcm_format_value(format);
  unsigned channels = card_channels(this->card), rate = card_rate(this->card);
  unsigned frame = channels * (unsigned)snd_pcm_format_physical_width((snd_pcm_format_t)code) / 8;
  int failure;
  if ((failure = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_ACCESS, 2, accesses)) < 0 ||
      (failure = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_FORMAT, 1, &code)) < 0)
    return failure;
  const unsigned limits[][3] = {{SND_PCM_IOPLUG_HW_CHANNELS, channels, channels},
                                {SND_PCM_IOPLUG_HW_RATE, rate, rate},
                                {SND_PCM_IOPLUG_HW_PERIOD_BYTES, 64 * frame, 4096 * frame},
                                {SND_PCM_IOPLUG_HW_BUFFER_BYTES, 256 * frame, 16384 * frame},
                                {SND_PCM_IOPLUG_HW_PERIODS, 2, 64}};
  for (unsigned index = 0; index < sizeof limits / sizeof *limits; index++) {
    failure = snd_pcm_ioplug_set_param_minmax(io, (int)limits[index][0], limits[index][1],
                                              limits[index][2]);
    if (failure < 0) return failure;
  }
  return 0;
}

struct keys {
  const char *card, *format, *map, *hears;
  long direct;
};

static int read_keys(snd_config_t *configuration, struct keys *keys) {
  snd_config_iterator_t next, after;
  snd_config_for_each(next, after, configuration) {
    snd_config_t *entry = snd_config_iterator_entry(next);
    const char *id;
    if (snd_config_get_id(entry, &id) < 0) continue;
    if (!strcmp(id, "card"))
      snd_config_get_string(entry, &keys->card);
    else if (!strcmp(id, "format"))
      snd_config_get_string(entry, &keys->format);
    else if (!strcmp(id, "map"))
      snd_config_get_string(entry, &keys->map);
    else if (!strcmp(id, "hears"))
      snd_config_get_string(entry, &keys->hears);
    else if (!strcmp(id, "direct"))
      snd_config_get_integer(entry, &keys->direct);
    else if (strcmp(id, "type") && strcmp(id, "comment") && strcmp(id, "hint"))
      return -EINVAL;
  }
  return keys->card ? 0 : -EINVAL;
}

SND_PCM_PLUGIN_DEFINE_FUNC(soundcard) {
  (void)root;
  struct keys keys = {.format = "S16_LE", .direct = card_most_channels + 1};
  if (read_keys(conf, &keys) < 0) return -EINVAL;
  struct sound_card *this = calloc(1, sizeof *this);
  if (!this) return -ENOMEM;
  this->plug.poll_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  this->card = card_open(keys.card);
  if (keys.hears) this->room = room_open(keys.hears);
  if (!this->card || (keys.hears && !this->room)) {
    release(this);
    return -ENODEV;
  }
  this->first_direct = (unsigned)keys.direct;
  if (keys.map) this->map = snd_pcm_chmap_parse_string(keys.map);
  this->waiting = calloc((size_t)longest_buffer * card_channels(this->card), sizeof(float));
  this->plug.version = SND_PCM_IOPLUG_VERSION;
  this->plug.name = "A sound card of the tests";
  this->plug.poll_events = POLLIN;
  this->plug.callback = &callbacks;
  this->plug.private_data = this;
  int code = snd_pcm_ioplug_create(&this->plug, name, stream, mode);
  if (code < 0) {
    release(this);
    return code;
  }
  code = constrain(this, keys.format);
  if (code < 0) {
    snd_pcm_ioplug_delete(&this->plug);
    return code;
  }
  *pcmp = this->plug.pcm;
  return 0;
}

SND_PCM_PLUGIN_SYMBOL(soundcard);
