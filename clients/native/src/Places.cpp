#include "Places.h"

#include <algorithm>

#include "ProgramOptions.h"
#include "Text.h"

namespace anechoic {

namespace {

constexpr size_t longestId = 63, longestPort = 255;

// False for a value that is no number.
bool isWithin(float value, float least, float most) { return value >= least && value <= most; }

bool canBePort(const char* id) {
  if (id == nullptr) return true;
  const std::string text = id;
  return text.size() <= longestPort && isText(id) &&
         std::ranges::none_of(text, [](unsigned char letter) { return letter < 0x20 || letter == 0x7f; });
}

}  // namespace

bool isFarEndId(const std::string& id) {
  return !id.empty() && id.size() <= longestId && std::ranges::all_of(id, [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '.' || letter == '-' || letter == '_';
  });
}

std::optional<v1::MicrophonePair> pair(const anechoic_microphone_pair& pair) {
  const int pattern = code(pair.pattern);
  if (pattern != ANECHOIC_CARDIOID && pattern != ANECHOIC_STEREO) return std::nullopt;
  if (!isWithin(pair.spacing_millimeters, 5, 50)) return std::nullopt;
  v1::MicrophonePair message;
  message.set_pattern(pattern == ANECHOIC_CARDIOID ? v1::MicrophonePair::POLAR_PATTERN_CARDIOID
                                                   : v1::MicrophonePair::POLAR_PATTERN_STEREO);
  message.set_spacing_millimeters(pair.spacing_millimeters);
  message.set_turned(pair.turned);
  return message;
}

std::optional<v1::SpatialAudio::Source> source(const std::string& id, const anechoic_place& place) {
  if (!isWithin(place.azimuth_degrees, -360, 360) || !isWithin(place.elevation_degrees, -90, 90) ||
      !isWithin(place.distance_meters, 0.1f, 100) || !isWithin(place.gain_db, -60, 12)) {
    return std::nullopt;
  }
  v1::SpatialAudio::Source source;
  source.set_far_end_id(id);
  source.set_azimuth_degrees(place.azimuth_degrees);
  source.set_elevation_degrees(place.elevation_degrees);
  source.set_distance_meters(place.distance_meters);
  source.set_gain_db(place.gain_db);
  return source;
}

std::optional<v1::HeadPose> pose(float yaw, float pitch, float roll) {
  for (const float angle : {yaw, pitch, roll}) {
    if (!isWithin(angle, -360, 360)) return std::nullopt;
  }
  v1::HeadPose pose;
  pose.mutable_angles()->set_yaw_degrees(yaw);
  pose.mutable_angles()->set_pitch_degrees(pitch);
  pose.mutable_angles()->set_roll_degrees(roll);
  return pose;
}

std::optional<v1::AudioRoute> route(const anechoic_route& given) {
  if (!canBePort(given.input_id) || !canBePort(given.output_id)) return std::nullopt;
  v1::AudioRoute route;
  if (given.input_id != nullptr) route.mutable_input()->set_port_id(given.input_id);
  if (given.output_id != nullptr) {
    route.mutable_output()->set_port_id(given.output_id);
    route.mutable_output()->set_headphones(given.headphones);
  }
  if (code(given.microphone_pair.pattern) == ANECHOIC_NO_PATTERN) return route;
  const auto microphones = pair(given.microphone_pair);
  if (!microphones || given.input_id == nullptr) return std::nullopt;
  *route.mutable_input()->mutable_microphone_pair() = *microphones;
  return route;
}

}  // namespace anechoic
