#ifndef LOAD_CLIENT_VOICE_MESSAGES_H
#define LOAD_CLIENT_VOICE_MESSAGES_H

#include <cstddef>
#include <cstdint>
#include <string>

// The bytes of the few messages of anechoic/v1/voice_processing.proto that the load client needs.
// Written by hand, so that the client needs no generated code and no protobuf library.

// Returns a ProcessRequest with a start: microphone and reference in 16-bit mono, and defaults.
std::string start_request(int rate_hz);

// Returns a ProcessRequest with `count` samples each of microphone and reference.
std::string audio_request(const int16_t *microphone, const int16_t *reference, size_t count);

// Returns whether a ProcessResponse contains audio.
bool is_audio_response(const uint8_t *bytes, size_t count);

#endif
