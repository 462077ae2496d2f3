#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "Controls.h"

namespace anechoic {

// The voice that a session keeps or learns, which a session that follows gets anew. This class reads
// no clock.
//
// A request of the program counts once the server has applied it: until then, it waits in Controls,
// also for the next session. The state is that of the last request: answers to earlier ones, and the
// end of the enrollment that it replaces, do not change the state.
class Enrollment {
 public:
  // The state of the last enrollment.
  enum class State { none, learning, learnt, severalVoices, tooLittleVoice, refused };

  Enrollment(const std::optional<v1::Voiceprint>& voiceprint, bool enrolls)
      : kept_(voiceprint),
        enrolls_(enrolls),
        state_(enrolls ? State::learning : State::none) {}

  // Returns the voiceprint with these bytes, a message, or nothing if they cannot be one.
  static std::optional<v1::Voiceprint> voiceprint(std::string_view bytes);

  // Any thread: learns a voice.
  void begin(Controls& controls);
  // Any thread: keeps a voice, or the nearest one, and ends an enrollment.
  void keep(const std::optional<v1::Voiceprint>& voiceprint, Controls& controls);
  // Any thread: the voiceprint that was learnt, as a message, or "".
  std::string learnt() const;
  // Any thread.
  State state() const;

  // The worker: adds the voice to the start of a session.
  void apply(v1::Start& start) const;
  // The worker: the server has applied or refused a control, which may be about anything.
  void answered(const v1::Control& control, bool isRefused, const Controls& controls);
  // The worker: a server has refused the start of a session, with a message that names the field.
  // Returns whether that was for the voice, which the next start leaves out.
  bool refused(const std::string& message);
  // The worker: the session has learnt a voice. It does not count if the program has set another.
  void learnt(const v1::Voiceprint& voiceprint, const Controls& controls);
  // The worker: an event, which may be about anything. An enrollment that fails only because its
  // session ends goes on in the next one, unless the program has ended the session.
  void noted(const v1::SessionEvent& event, const Controls& controls);

 private:
  void noted(const v1::VoiceEnrollmentChanged& change, int64_t sample, const Controls& controls);

  mutable std::mutex mutex_;
  std::optional<v1::Voiceprint> kept_;
  std::string learnt_;
  bool enrolls_;
  State state_;
  int64_t failedAt_ = -1;  // the session's sample at which the last enrollment failed
};

}  // namespace anechoic
