#include "KeptConfiguration.h"

#include <google/protobuf/message.h>

namespace anechoic {

namespace {

constexpr const char* stages[] = {"echo_cancellation", "noise_suppression", "gain_control",
                                  "high_pass_filter"};

const google::protobuf::FieldDescriptor* field(const char* stage) {
  return v1::VoiceProcessing::descriptor()->FindFieldByName(stage);
}

bool has(const v1::VoiceProcessing& processing, const char* stage) {
  return processing.GetReflection()->HasField(processing, field(stage));
}

void clear(v1::VoiceProcessing& processing, const char* stage) {
  processing.GetReflection()->ClearField(&processing, field(stage));
}

bool differs(v1::VoiceProcessing one, v1::VoiceProcessing other, const char* stage) {
  for (v1::VoiceProcessing* processing : {&one, &other}) {
    processing->clear_bypassed();
    for (const char* each : stages) {
      if (each != stage) clear(*processing, each);
    }
  }
  return one.SerializeAsString() != other.SerializeAsString();
}

}  // namespace

void KeptConfiguration::changed(const v1::SessionConfig& told) {
  // A change of the mic mode changes stages that nobody has set.
  const bool isSameMode = told.preferred_mic_mode() == told_.preferred_mic_mode();
  v1::SessionConfig next = told;
  for (const char* stage : stages) {
    const bool isSet =
        has(next_.voice_processing(), stage) ||
        (isSameMode && differs(told.voice_processing(), told_.voice_processing(), stage));
    if (!isSet && next.has_voice_processing()) clear(*next.mutable_voice_processing(), stage);
  }
  next_ = std::move(next);
  told_ = told;
}

}  // namespace anechoic
