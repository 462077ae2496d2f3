// The functions of anechoic.h, which describes them.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <new>

#include "EventQueue.h"
#include "HeldCall.h"
#include "PlayedFarEnd.h"
#include "Places.h"
#include "ProgramOptions.h"
#include "Text.h"
#include "Voice.h"
#include "anechoic.h"

// The functions for programs of version 0.1 have the names of the macros.
#undef anechoic_options_init
#undef anechoic_next_event

struct anechoic_session {
  explicit anechoic_session(anechoic::Settings settings) : voice(std::move(settings), &events) {}

  anechoic::EventQueue events;
  anechoic::Voice voice;  // ends before its events
};

struct anechoic_call {
  anechoic_call(const char* socket, const char* holder)
      : held(socket == nullptr ? "" : socket, holder == nullptr ? "" : holder) {}

  anechoic::HeldCall held;
};

struct anechoic_far_end {
  anechoic_far_end(const char* socket, const char* name, uint32_t rate, uint32_t channels,
                   const anechoic_place* place)
      : played(text(socket), text(name), rate, channels, source(name, place)) {}

  anechoic::PlayedFarEnd played;

 private:
  static std::string text(const char* given) { return given == nullptr ? "" : given; }
  static std::optional<anechoic::v1::SpatialAudio::Source> source(const char* name,
                                                                  const anechoic_place* place) {
    if (place == nullptr) return std::nullopt;
    auto source = anechoic::source(text(name), *place);
    if (!source) throw std::invalid_argument("place: a value is out of range");
    return source;
  }
};

namespace anechoic {
namespace {

// The event of version 0.1.
constexpr size_t firstEventSize = sizeof(anechoic_event);
constexpr size_t mostFrames = INT32_MAX;

float toFloat(float sample) { return sample; }
float toFloat(int16_t sample) { return sample / 32768.0f; }
void set(float& target, float sample) { target = sample; }
void set(int16_t& target, float sample) {
  target = int16_t(std::lrintf(std::clamp(sample * 32768, -32768.0f, 32767.0f)));
}

template <typename Sample>
void push(anechoic_session* session, const Sample* microphone, const Sample* reference,
          size_t frames) {
  if (session == nullptr || microphone == nullptr || frames > mostFrames) return;
  const Format& format = session->voice.settings().format;
  session->voice.push(
      int64_t(frames),
      [&](int64_t frame, size_t channel) {
        return toFloat(microphone[size_t(frame) * format.channels + channel]);
      },
      [&](int64_t frame, size_t channel) {
        if (reference == nullptr) return 0.0f;
        return toFloat(reference[size_t(frame) * format.referenceChannels + channel]);
      });
}

template <typename Sample>
size_t pull(anechoic_session* session, Sample* output, size_t frames) {
  if (session == nullptr || output == nullptr || frames > mostFrames) return 0;
  const size_t channels = session->voice.settings().format.channels;
  return size_t(
      session->voice.pull(int64_t(frames), [&](int64_t frame, size_t channel, float sample) {
        set(output[size_t(frame) * channels + channel], sample);
      }));
}

template <typename Sample>
size_t pushFarEnd(anechoic_session* session, uint32_t index, const Sample* samples,
                  size_t frames) {
  if (session == nullptr || samples == nullptr || frames > mostFrames) return 0;
  return size_t(session->voice.pushFarEnd(index, int64_t(frames), [&](int64_t frame) {
    const float sample = toFloat(samples[frame]);
    return std::isfinite(sample) ? sample : 0.0f;
  }));
}

template <typename Sample>
size_t pushOtherAudio(anechoic_session* session, const Sample* samples, size_t frames) {
  if (session == nullptr || samples == nullptr || frames > mostFrames) return 0;
  const size_t channels = session->voice.settings().otherAudioChannels;
  return size_t(session->voice.pushOtherAudio(int64_t(frames), [&](int64_t frame, size_t channel) {
    const float sample = toFloat(samples[size_t(frame) * channels + channel]);
    return std::isfinite(sample) ? sample : 0.0f;
  }));
}

template <typename Sample>
size_t pullPlayback(anechoic_session* session, Sample* output, size_t frames) {
  if (session == nullptr || output == nullptr || frames > mostFrames) return 0;
  const size_t channels = session->voice.settings().format.playbackChannels;
  return size_t(session->voice.pullPlayback(
      int64_t(frames), [&](int64_t frame, size_t channel, float sample) {
        set(output[size_t(frame) * channels + channel], sample);
      }));
}

// Copies a structure to a program that knows fewer fields or more, which then are 0.
template <typename Structure>
void give(const Structure& from, void* to, size_t size) {
  std::memset(to, 0, size);
  std::memcpy(to, &from, std::min(size, sizeof from));
}

}  // namespace
}  // namespace anechoic

#define EXPORT __attribute__((visibility("default")))

extern "C" {

EXPORT void anechoic_options_init(anechoic_options* options) {
  anechoic_options_init_size(options, anechoic::firstOptionsSize);
}

EXPORT void anechoic_options_init_size(anechoic_options* options, size_t size) {
  if (options == nullptr || size < sizeof options->size || !anechoic::canBeSize(size)) return;
  anechoic_options filled = anechoic::defaults();
  filled.size = size;
  anechoic::give(filled, options, size);
}

// No exception may reach a C program.
EXPORT anechoic_session* anechoic_open(const anechoic_options* options, char* message,
                                       size_t messageSize) try {
  return new anechoic_session(anechoic::settings(options));
} catch (const std::exception& error) {
  anechoic::copyText(error.what(), message, messageSize);
  return nullptr;
}

EXPORT void anechoic_push(anechoic_session* session, const float* microphone,
                          const float* reference, size_t frames) {
  anechoic::push(session, microphone, reference, frames);
}

EXPORT void anechoic_push_int16(anechoic_session* session, const int16_t* microphone,
                                const int16_t* reference, size_t frames) {
  anechoic::push(session, microphone, reference, frames);
}

EXPORT size_t anechoic_pull(anechoic_session* session, float* output, size_t frames) {
  return anechoic::pull(session, output, frames);
}

EXPORT size_t anechoic_pull_int16(anechoic_session* session, int16_t* output, size_t frames) {
  return anechoic::pull(session, output, frames);
}

EXPORT bool anechoic_next_event(anechoic_session* session, anechoic_event* event) {
  return anechoic_next_event_size(session, event, anechoic::firstEventSize);
}

EXPORT bool anechoic_next_event_size(anechoic_session* session, anechoic_event* event,
                                     size_t size) {
  if (session == nullptr || event == nullptr || !anechoic::canBeSize(size)) return false;
  const auto next = session->events.next();
  if (!next) return false;
  anechoic::give(*next, event, size);
  return true;
}

EXPORT size_t anechoic_copy_event_text(anechoic_session* session, char* buffer, size_t size) try {
  if (session == nullptr) return 0;
  const std::string text = session->events.text();
  if (buffer != nullptr && size > text.size()) {
    anechoic::copyText(text, buffer, size);
  }
  return text.empty() ? 0 : text.size() + 1;
} catch (const std::bad_alloc&) {
  return 0;
}

EXPORT void anechoic_read_losses(anechoic_session* session, anechoic_losses* losses, size_t size) {
  if (session == nullptr || losses == nullptr || !anechoic::canBeSize(size)) return;
  const anechoic::Losses& counted = session->voice.losses();
  anechoic::give(anechoic_losses{counted.unsent, counted.late, counted.unpulled,
                                 counted.overlapping, counted.misplaced},
                 losses, size);
}

EXPORT bool anechoic_is_processing(anechoic_session* session) {
  return session != nullptr && session->voice.isProcessing();
}

EXPORT void anechoic_set_muted(anechoic_session* session, bool muted) {
  if (session != nullptr) session->voice.setMuted(muted);
}

EXPORT bool anechoic_is_muted(anechoic_session* session) {
  return session != nullptr && session->voice.isMuted();
}

EXPORT void anechoic_decide_gesture(anechoic_session* session, const char* id, bool accept) try {
  if (session == nullptr || id == nullptr || !anechoic::isText(id)) return;
  anechoic::v1::Control control;
  control.mutable_decide_mute_gesture()->set_gesture_id(id);
  control.mutable_decide_mute_gesture()->set_accept(accept);
  session->voice.control(std::move(control));
} catch (const std::bad_alloc&) {
}

EXPORT void anechoic_decide_injection(anechoic_session* session, const char* client,
                                      bool grant) try {
  if (session == nullptr || client == nullptr || !anechoic::isText(client)) return;
  anechoic::v1::Control control;
  control.mutable_decide_injection_permission()->set_client(client);
  control.mutable_decide_injection_permission()->set_grant(grant);
  session->voice.control(std::move(control));
} catch (const std::bad_alloc&) {
}

EXPORT size_t anechoic_push_far_end(anechoic_session* session, uint32_t index,
                                    const float* samples, size_t frames) {
  return anechoic::pushFarEnd(session, index, samples, frames);
}

EXPORT size_t anechoic_push_far_end_int16(anechoic_session* session, uint32_t index,
                                          const int16_t* samples, size_t frames) {
  return anechoic::pushFarEnd(session, index, samples, frames);
}

EXPORT size_t anechoic_push_other_audio(anechoic_session* session, const float* samples,
                                        size_t frames) {
  return anechoic::pushOtherAudio(session, samples, frames);
}

EXPORT size_t anechoic_push_other_audio_int16(anechoic_session* session, const int16_t* samples,
                                              size_t frames) {
  return anechoic::pushOtherAudio(session, samples, frames);
}

EXPORT size_t anechoic_pull_playback(anechoic_session* session, float* output, size_t frames) {
  return anechoic::pullPlayback(session, output, frames);
}

EXPORT size_t anechoic_pull_playback_int16(anechoic_session* session, int16_t* output,
                                           size_t frames) {
  return anechoic::pullPlayback(session, output, frames);
}

EXPORT bool anechoic_place_far_end(anechoic_session* session, uint32_t index,
                                   const anechoic_place* place) try {
  if (session == nullptr || place == nullptr) return false;
  const auto& farEnds = session->voice.settings().farEnds;
  if (index >= farEnds.size()) return false;
  const auto source = anechoic::source(farEnds[index], *place);
  if (source) session->voice.place(*source);
  return source.has_value();
} catch (const std::bad_alloc&) {
  return false;
}

EXPORT void anechoic_set_spatial_audio(anechoic_session* session, bool enabled,
                                       bool headTracked) try {
  if (session != nullptr) session->voice.setSpatialAudio(enabled, headTracked);
} catch (const std::bad_alloc&) {
}

EXPORT bool anechoic_report_head_pose(anechoic_session* session, float yaw, float pitch,
                                      float roll) try {
  const auto pose = anechoic::pose(yaw, pitch, roll);
  if (session == nullptr || !pose) return false;
  session->voice.turnHead(*pose);
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

EXPORT bool anechoic_report_route(anechoic_session* session, const anechoic_route* given) try {
  if (session == nullptr) return false;
  if (given == nullptr) {
    session->voice.report(std::nullopt);
    return true;
  }
  if (given->size < sizeof given->size || !anechoic::canBeSize(given->size)) return false;
  anechoic_route known{};
  std::memcpy(&known, given, std::min(given->size, sizeof known));
  auto route = anechoic::route(known);
  if (!route) return false;
  session->voice.report(std::move(route));
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

EXPORT bool anechoic_enroll_voice(anechoic_session* session) try {
  if (session == nullptr) return false;
  session->voice.enrollVoice();
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

EXPORT bool anechoic_set_voiceprint(anechoic_session* session, const void* voiceprint,
                                    size_t size) try {
  if (session == nullptr) return false;
  if (voiceprint == nullptr || size == 0) {
    session->voice.keepVoice(std::nullopt);
    return true;
  }
  const auto given =
      anechoic::Enrollment::voiceprint({static_cast<const char*>(voiceprint), size});
  if (given) session->voice.keepVoice(given);
  return given.has_value();
} catch (const std::bad_alloc&) {
  return false;
}

EXPORT anechoic_enrollment anechoic_read_enrollment(anechoic_session* session) {
  using State = anechoic::Enrollment::State;
  if (session == nullptr) return ANECHOIC_ENROLLMENT_NONE;
  switch (session->voice.enrollment().state()) {
    case State::none:
      return ANECHOIC_ENROLLMENT_NONE;
    case State::learning:
      return ANECHOIC_ENROLLMENT_LEARNING;
    case State::learnt:
      return ANECHOIC_ENROLLMENT_LEARNT;
    case State::severalVoices:
      return ANECHOIC_ENROLLMENT_SEVERAL_VOICES;
    case State::tooLittleVoice:
      return ANECHOIC_ENROLLMENT_TOO_LITTLE_VOICE;
    case State::refused:
      return ANECHOIC_ENROLLMENT_REFUSED;
  }
  return ANECHOIC_ENROLLMENT_NONE;
}

EXPORT size_t anechoic_copy_voiceprint(anechoic_session* session, void* buffer,
                                       size_t size) try {
  if (session == nullptr) return 0;
  const std::string learnt = session->voice.enrollment().learnt();
  if (buffer != nullptr && size >= learnt.size()) {
    std::memcpy(buffer, learnt.data(), learnt.size());
  }
  return learnt.size();
} catch (const std::bad_alloc&) {
  return 0;
}

EXPORT void anechoic_close(anechoic_session* session) { delete session; }

EXPORT anechoic_call* anechoic_hold_call(const char* socket, const char* holder, char* message,
                                         size_t messageSize) try {
  return new anechoic_call(socket, holder);
} catch (const std::exception& error) {
  anechoic::copyText(error.what(), message, messageSize);
  return nullptr;
}

EXPORT bool anechoic_is_call_held(anechoic_call* call) {
  return call != nullptr && call->held.isHeld();
}

EXPORT void anechoic_release_call(anechoic_call* call) { delete call; }

EXPORT anechoic_far_end* anechoic_play_far_end(const char* socket, const char* name,
                                               uint32_t rate, uint32_t channels,
                                               const anechoic_place* place, char* message,
                                               size_t messageSize) try {
  return new anechoic_far_end(socket, name, rate, channels, place);
} catch (const std::exception& error) {
  anechoic::copyText(error.what(), message, messageSize);
  return nullptr;
}

EXPORT size_t anechoic_write_far_end(anechoic_far_end* farEnd, const float* samples,
                                     size_t frames) try {
  if (farEnd == nullptr || samples == nullptr || frames > anechoic::mostFrames) return 0;
  return farEnd->played.write(samples, frames);
} catch (const std::bad_alloc&) {
  return 0;
}

EXPORT bool anechoic_move_far_end(anechoic_far_end* farEnd, const anechoic_place* place) try {
  if (farEnd == nullptr || place == nullptr) return false;
  const auto source = anechoic::source(farEnd->played.name(), *place);
  if (source) farEnd->played.move(*source);
  return source.has_value();
} catch (const std::bad_alloc&) {
  return false;
}

EXPORT bool anechoic_is_far_end_over(anechoic_far_end* farEnd, char* message,
                                     size_t messageSize) try {
  if (farEnd == nullptr) return true;
  const auto problem = farEnd->played.problem();
  if (problem) anechoic::copyText(problem->c_str(), message, messageSize);
  return problem.has_value();
} catch (const std::bad_alloc&) {
  return false;
}

EXPORT void anechoic_end_far_end(anechoic_far_end* farEnd) { delete farEnd; }

}  // extern "C"
