#include "VoiceMessages.h"

// https://protobuf.dev/programming-guides/encoding
namespace {

constexpr int kVarint = 0;
constexpr int kLengthDelimited = 2;

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
  bytes.push_back(static_cast<char>(value));
  return bytes;
}

std::string number(int field, uint64_t value) {
  return varint(field << 3 | kVarint) + varint(value);
}

std::string content(int field, const std::string &bytes) {
  return varint(field << 3 | kLengthDelimited) + varint(bytes.size()) + bytes;
}

// Returns an AudioChunk. The samples are copied as they are in memory, which is PCM_S16LE on
// little-endian machines.
std::string chunk(const int16_t *samples, size_t count) {
  return content(1, std::string(reinterpret_cast<const char *>(samples), count * sizeof *samples));
}

}  // namespace

std::string start_request(int rate_hz) {
  constexpr uint64_t kPcmS16le = 1;
  const std::string format = number(1, kPcmS16le) + number(2, rate_hz) + number(3, 1);
  const std::string inputs = content(1, format) + content(2, format);
  const std::string start = content(4, inputs);
  return content(2, start);
}

std::string audio_request(const int16_t *microphone, const int16_t *reference, size_t count) {
  const std::string audio =
      content(1, chunk(microphone, count)) + content(2, chunk(reference, count));
  return content(1, audio);
}

bool is_audio_response(const uint8_t *bytes, size_t count) {
  return count > 0 && bytes[0] == (1 << 3 | kLengthDelimited);
}
