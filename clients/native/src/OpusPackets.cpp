#include "OpusPackets.h"

#include <opus.h>

#include <algorithm>
#include <cmath>
#include <new>

namespace anechoic {

namespace {

constexpr int bitRateOfAChannel = 32000, complexity = 1;
constexpr size_t largestPacket = 1280, largestReceived = 64 << 10;
constexpr int64_t longestMilliseconds = 120;
constexpr float quietest = 1e-9f;  // -180 dBFS

}  // namespace

void OpusPackets::Release::operator()(OpusEncoder* encoder) const { opus_encoder_destroy(encoder); }
void OpusPackets::Release::operator()(OpusDecoder* decoder) const { opus_decoder_destroy(decoder); }

bool OpusPackets::supports(uint32_t rate) {
  return rate == 8000 || rate == 16000 || rate == 24000 || rate == 48000;
}

OpusPackets::OpusPackets(Format format)
    : format_(format), microphone_(makeEncoder(format.rate, format.channels)) {
  if (format.referenceChannels > 0) reference_ = makeEncoder(format.rate, format.referenceChannels);
  int error = OPUS_OK;
  output_.reset(opus_decoder_create(int32_t(format.rate), int(format.channels), &error));
  if (output_ == nullptr) throw std::bad_alloc();
  opus_int32 samples = 0;
  opus_encoder_ctl(microphone_.get(), OPUS_GET_LOOKAHEAD(&samples));
  lookAhead_ = samples;
}

OpusPackets::~OpusPackets() = default;

OpusPackets::Encoder OpusPackets::makeEncoder(uint32_t rate, uint32_t channels) {
  int error = OPUS_OK;
  Encoder encoder(opus_encoder_create(int32_t(rate), int(channels), OPUS_APPLICATION_VOIP, &error));
  if (encoder == nullptr) throw std::bad_alloc();
  opus_encoder_ctl(encoder.get(), OPUS_SET_BITRATE(bitRateOfAChannel * int(channels)));
  opus_encoder_ctl(encoder.get(), OPUS_SET_COMPLEXITY(complexity));
  return encoder;
}

std::string OpusPackets::encode(OpusEncoder* encoder, uint32_t channels,
                                std::vector<float> samples) const {
  for (float& sample : samples) sample = std::clamp(sample, -1.0f, 1.0f);
  std::string packet(largestPacket, '\0');
  const int size =
      opus_encode_float(encoder, samples.data(), int(samples.size() / channels),
                        reinterpret_cast<unsigned char*>(packet.data()), int(packet.size()));
  packet.resize(size_t(std::max(size, 0)));
  return packet;
}

std::string OpusPackets::encodeMicrophone(const std::vector<float>& samples) {
  return encode(microphone_.get(), format_.channels, samples);
}

std::string OpusPackets::encodeReference(const std::vector<float>& samples) {
  return encode(reference_.get(), format_.referenceChannels, samples);
}

std::vector<float> OpusPackets::decode(const std::string& packet) {
  if (packet.empty() || packet.size() > largestReceived) return {};
  const int64_t longest = format_.samples(longestMilliseconds);
  std::vector<float> samples(size_t(longest) * format_.channels);
  const int count =
      opus_decode_float(output_.get(), reinterpret_cast<const unsigned char*>(packet.data()),
                        int(packet.size()), samples.data(), int(longest), 0);
  samples.resize(size_t(std::max(count, 0)) * format_.channels);
  // Silence decodes to almost nothing.
  for (float& sample : samples) {
    if (std::abs(sample) < quietest) sample = 0;
  }
  return samples;
}

}  // namespace anechoic
