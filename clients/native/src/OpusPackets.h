#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "Format.h"

struct OpusDecoder;
struct OpusEncoder;

namespace anechoic {

// The Opus codecs (RFC 6716) of one call: encoders of the inputs, and the decoder of the output.
// Packets have 20 ms. Samples are interleaved.
class OpusPackets {
 public:
  static constexpr int64_t milliseconds = 20;
  // Whether Opus has a rate.
  static bool supports(uint32_t rate);

  explicit OpusPackets(Format format);
  ~OpusPackets();

  // Returns the packet of 20 ms, or "" if libopus fails: a lost packet.
  std::string encodeMicrophone(const std::vector<float>& samples);
  std::string encodeReference(const std::vector<float>& samples);
  // Returns the samples of a packet, or none if it is malformed.
  std::vector<float> decode(const std::string& packet);
  // The sample frames by which decoded sound is behind the microphone, because of the encoder.
  int64_t lookAhead() const { return lookAhead_; }

 private:
  struct Release {
    void operator()(OpusEncoder* encoder) const;
    void operator()(OpusDecoder* decoder) const;
  };
  using Encoder = std::unique_ptr<OpusEncoder, Release>;

  static Encoder makeEncoder(uint32_t rate, uint32_t channels);
  std::string encode(OpusEncoder* encoder, uint32_t channels, std::vector<float> samples) const;

  const Format format_;
  Encoder microphone_, reference_;
  std::unique_ptr<OpusDecoder, Release> output_;
  int64_t lookAhead_ = 0;
};

}  // namespace anechoic
