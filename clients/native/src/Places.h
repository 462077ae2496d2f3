#pragma once

#include <optional>
#include <string>

#include "Messages.h"
#include "anechoic.h"

namespace anechoic {

// The most far ends that a session can have.
constexpr uint32_t mostFarEnds = 16;

bool isFarEndId(const std::string& id);

// The messages for the structures of a C program, or nothing if a value is out of range.
std::optional<v1::MicrophonePair> pair(const anechoic_microphone_pair& pair);
std::optional<v1::SpatialAudio::Source> source(const std::string& id, const anechoic_place& place);
std::optional<v1::HeadPose> pose(float yaw, float pitch, float roll);
std::optional<v1::AudioRoute> route(const anechoic_route& route);

}  // namespace anechoic
