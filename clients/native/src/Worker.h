#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include "Call.h"
#include "Controls.h"
#include "Debt.h"
#include "Enrollment.h"
#include "Exchange.h"
#include "Lateness.h"
#include "Listener.h"
#include "OpusPackets.h"
#include "Reconnection.h"
#include "Scene.h"
#include "Session.h"

namespace anechoic {

// The thread that keeps a session on the server: sends the microphone, places the processed voice,
// and connects again, for as long as it takes, after the server was lost.
class Worker {
 public:
  Worker(const Settings& settings, Exchange& exchange, Controls& controls, Scene& scene,
         Enrollment& enrollment, Listener& listener);
  // Ends the session. Waits some 200 ms at most for the server and for libgrpc.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  void step(Clock::time_point now);
  void connect(Clock::time_point now);
  bool isConnecting() const;
  void readResponses(Clock::time_point now);
  void take(const v1::ProcessResponse& response, Clock::time_point now);
  bool started(const v1::Started& started, Clock::time_point now);
  void dropControls();
  void noteDecision(const v1::Control& control);
  void recordMute(const v1::Started& started);
  void recordMute(bool isMuted, int64_t position);
  void unpack(const v1::AudioChunk& chunk);
  void play(const v1::AudioChunk& chunk);
  void playMix(const v1::AudioChunk& chunk);
  void notePiece(int64_t end, int64_t count);
  void noteControl(const v1::ControlResult& result, Clock::time_point now);
  void noteEvent(const v1::SessionEvent& event);
  bool repeatDecision(const std::string& client);
  void hear(Clock::time_point now);
  void send(Clock::time_point now);
  bool isMuteDue(const Mute::Request& request, Clock::time_point now) const;
  bool sendMute(Clock::time_point now);
  bool sendControl(Clock::time_point now);
  bool sendScene(Clock::time_point now);
  bool sendAudio(Clock::time_point now);
  void dropDebt(Clock::time_point now);
  void addFarEnds(int64_t count, v1::AudioInput& audio);
  void addOtherAudio(int64_t count, v1::AudioInput& audio);
  void fill(const Tape& tape, uint32_t channels, int64_t count, v1::AudioChunk& chunk,
            std::string (OpusPackets::*encode)(const std::vector<float>&));
  void ended(const Ending& ending, Clock::time_point now);
  void report(const Reason& reason);
  void close();

  const Settings& settings_;
  const Format format_;
  Exchange& exchange_;
  Controls& controls_;
  Scene& scene_;
  Enrollment& enrollment_;
  Listener& listener_;
  std::minstd_rand random_{std::random_device{}()};
  Reconnection reconnection_;
  Session session_;
  Debt debt_;
  Lateness lateness_;
  std::unique_ptr<OpusPackets> packets_;
  std::unique_ptr<Call> call_;

  enum class Said { nothing, processing, fallback } said_ = Said::nothing;
  Reason reason_{};
  int64_t heard_ = 0;
  std::optional<Clock::time_point> heardAt_;     // when the program pushed last
  std::optional<Clock::time_point> audioWaits_;  // until when audio waits for the rest of a burst
  uint64_t muteControl_ = 0;  // the control of a request that the server has not answered, or 0
  Mute::Request muteRequest_;  // and this request
  Clock::time_point muteAt_;  // when a request that is not confirmed is sent again
  bool wasScene_ = false;  // whether the scene was sent after the last audio
  std::vector<float> samples_, mix_;

  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace anechoic
