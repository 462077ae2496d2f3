#pragma once

#include <atomic>

#include "Capture.h"
#include "Controls.h"
#include "Enrollment.h"
#include "Listener.h"
#include "Listening.h"
#include "Playout.h"
#include "Scene.h"
#include "Settings.h"
#include "Worker.h"

namespace anechoic {

// A microphone that a server processes: the core of libanechoic and of the PipeWire plug-in.
//
// One thread pushes, and one thread pulls, which may be another one. A push that overlaps another
// push, or a pull that overlaps another pull, does nothing.
class Voice {
 public:
  // The settings are valid. Without a listener, there is no worker, and only the fallback is heard.
  Voice(Settings settings, Listener* listener)
      : settings_(std::move(settings)),
        exchange_(settings_.format, settings_.delayMilliseconds, settings_.isMuted,
                  uint32_t(settings_.farEnds.size()), settings_.otherAudioChannels),
        scene_(settings_.config.spatial_audio()),
        enrollment_(settings_.voiceprint, settings_.enrollsVoice),
        capture_(settings_.format, exchange_),
        playout_(settings_.format, settings_.fallback == Fallback::silence, exchange_),
        listening_(settings_.format, exchange_) {
    if (listener != nullptr) {
      worker_ = std::make_unique<Worker>(settings_, exchange_, controls_, scene_, enrollment_,
                                         *listener);
    }
  }

  const Settings& settings() const { return settings_; }

  // Lengthens the delay before the first sample, by 1 s at most.
  void lengthenDelay(int64_t samples) noexcept {
    exchange_.delay.store(
        std::min(exchange_.delay.load(std::memory_order_relaxed) + samples, exchange_.longestDelay),
        std::memory_order_relaxed);
  }

  // Runs per block: no allocation, lock, log or wait.
  template <typename Microphone, typename Reference>
  void push(int64_t count, const Microphone& microphone, const Reference& reference) noexcept {
    const Turn turn(pushing_);
    if (turn.isTaken()) {
      capture_.push(count, microphone, reference);
    } else {
      exchange_.losses.overlapping.fetch_add(uint64_t(count), std::memory_order_relaxed);
    }
  }

  // Runs per block: no allocation, lock, log or wait.
  template <typename Output>
  int64_t pull(int64_t most, const Output& output) noexcept {
    const Turn turn(pulling_);
    return turn.isTaken() ? playout_.pull(most, output) : 0;
  }

  // Adds the samples of a far end. Returns their number, without those for which there is no room.
  // Runs per block: no allocation, lock, log or wait.
  template <typename Samples>
  int64_t pushFarEnd(size_t index, int64_t count, const Samples& samples) noexcept {
    if (index >= exchange_.farEnds.count()) return 0;
    const int64_t pushed = exchange_.pushed.load(std::memory_order_acquire);
    return exchange_.farEnds.push(index, count, pushed, exchange_.wait, samples);
  }

  // Adds samples of other audio. Returns the number of sample frames, without those for which there
  // is no room. Runs per block: no allocation, lock, log or wait.
  template <typename Samples>
  int64_t pushOtherAudio(int64_t count, const Samples& samples) noexcept {
    const int64_t pushed = exchange_.pushed.load(std::memory_order_acquire);
    int64_t taken = 0;
    for (size_t channel = 0; channel < exchange_.otherAudio.count(); ++channel) {
      taken = exchange_.otherAudio.push(channel, count, pushed, exchange_.wait,
                                        [&](int64_t frame) { return samples(frame, channel); });
    }
    return taken;
  }

  // Runs per block: no allocation, lock, log or wait.
  template <typename Output>
  int64_t pullPlayback(int64_t most, const Output& output) noexcept {
    const Turn turn(listeningTurn_);
    return turn.isTaken() ? listening_.pull(most, output) : 0;
  }

  bool isProcessing() const noexcept {
    return exchange_.isProcessing.load(std::memory_order_relaxed);
  }
  bool isMuted() const noexcept { return exchange_.mute.isMuted(); }
  void setMuted(bool muted) noexcept {
    exchange_.mute.request(muted, exchange_.pushed.load(std::memory_order_acquire));
    exchange_.wakeup.signal();
  }
  const Losses& losses() const noexcept { return exchange_.losses; }

  // Reports the route, or that none suits.
  void report(std::optional<v1::AudioRoute> route) {
    scene_.report(std::move(route));
    exchange_.wakeup.signal();
  }
  void turnHead(const v1::HeadPose& pose) {
    scene_.turn(pose);
    exchange_.wakeup.signal();
  }
  void place(const v1::SpatialAudio::Source& source) {
    scene_.place(source, controls_);
    exchange_.wakeup.signal();
  }
  void setSpatialAudio(bool enabled, bool headTracked) {
    scene_.setSpatialAudio(enabled, headTracked, controls_);
    exchange_.wakeup.signal();
  }

  void enrollVoice() {
    enrollment_.begin(controls_);
    exchange_.wakeup.signal();
  }
  void keepVoice(const std::optional<v1::Voiceprint>& voiceprint) {
    enrollment_.keep(voiceprint, controls_);
    exchange_.wakeup.signal();
  }
  const Enrollment& enrollment() const { return enrollment_; }

  // Sends a control if there is a session.
  void control(v1::Control control) {
    controls_.add(std::move(control));
    exchange_.wakeup.signal();
  }

 private:
  // The right to push or pull, unless another thread has it.
  class Turn {
   public:
    explicit Turn(std::atomic_flag& flag) noexcept
        : flag_(flag), taken_(!flag.test_and_set(std::memory_order_acquire)) {}
    ~Turn() {
      if (taken_) flag_.clear(std::memory_order_release);
    }
    bool isTaken() const noexcept { return taken_; }

   private:
    std::atomic_flag& flag_;
    const bool taken_;
  };

  const Settings settings_;
  Exchange exchange_;
  Controls controls_;
  Scene scene_;
  Enrollment enrollment_;
  Capture capture_;
  Playout playout_;
  Listening listening_;
  std::atomic_flag pushing_, pulling_, listeningTurn_;
  std::unique_ptr<Worker> worker_;
};

}  // namespace anechoic
