#ifndef LOAD_CLIENT_VOICE_MESSAGES_H
#define LOAD_CLIENT_VOICE_MESSAGES_H

#include <cstddef>
#include <cstdint>
#include <string>

// The few messages of anechoic/v1/voice_processing.proto that a load client needs, as bytes:
// it is not worth generated code and a protobuf library here.

// ProcessRequest{start}: microphone and reference in 16-bit mono at a rate, all else by default.
std::string start_request(int rate_hz);

// ProcessRequest{audio}: `count` samples of microphone and reference each.
std::string audio_request(const int16_t *microphone, const int16_t *reference, size_t count);

// Whether a ProcessResponse has audio, and not `started` or an event.
bool is_audio_response(const uint8_t *bytes, size_t count);

#endif
