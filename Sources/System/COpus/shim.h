#pragma once

#include <opus/opus.h>

// Swift cannot call functions with a variable number of arguments.

static inline int copus_set_bit_rate(OpusEncoder *encoder, opus_int32 bits_per_second) {
  return opus_encoder_ctl(encoder, OPUS_SET_BITRATE(bits_per_second));
}

static inline int copus_set_complexity(OpusEncoder *encoder, opus_int32 complexity) {
  return opus_encoder_ctl(encoder, OPUS_SET_COMPLEXITY(complexity));
}

static inline int copus_set_fec(OpusEncoder *encoder, opus_int32 is_on, opus_int32 loss_percent) {
  int status = opus_encoder_ctl(encoder, OPUS_SET_INBAND_FEC(is_on));
  if (status != OPUS_OK) return status;
  return opus_encoder_ctl(encoder, OPUS_SET_PACKET_LOSS_PERC(loss_percent));
}

// Returns the samples by which the output of a decoder is behind the input of this encoder.
static inline opus_int32 copus_look_ahead(OpusEncoder *encoder) {
  opus_int32 samples = 0;
  opus_encoder_ctl(encoder, OPUS_GET_LOOKAHEAD(&samples));
  return samples;
}

// Returns the samples that a packet decodes to, or an error of libopus for a malformed packet.
static inline int copus_sample_count(const unsigned char *packet, opus_int32 size, opus_int32 rate) {
  const unsigned char *frames[48];
  opus_int16 sizes[48];
  int count = opus_packet_parse(packet, size, 0, frames, sizes, 0);
  if (count <= 0) return count < 0 ? count : OPUS_INVALID_PACKET;
  return count * opus_packet_get_samples_per_frame(packet, rate);
}

// Returns the samples before a packet that its in-band FEC contains: those of one of its frames, or 0.
// As opus_packet_has_lbrr of libopus 1.5; the flags are those of RFC 6716, section 4.2.3.
static inline int copus_recoverable_count(
    const unsigned char *packet, opus_int32 size, opus_int32 rate) {
  const unsigned char *frames[48];
  opus_int16 sizes[48];
  int duration, parts, has_fec;
  if (size < 1 || (packet[0] & 0x80)) return 0;  // CELT alone has no FEC.
  if (opus_packet_parse(packet, size, 0, frames, sizes, 0) <= 0 || sizes[0] < 1) return 0;
  duration = opus_packet_get_samples_per_frame(packet, 48000);
  parts = duration > 960 ? duration / 960 : 1;
  has_fec = frames[0][0] >> (7 - parts) & 1;
  if (opus_packet_get_nb_channels(packet) == 2) has_fec |= frames[0][0] >> (6 - 2 * parts) & 1;
  return has_fec ? opus_packet_get_samples_per_frame(packet, rate) : 0;
}
