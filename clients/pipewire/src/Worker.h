#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "Call.h"
#include "Exchange.h"
#include "Format.h"
#include "Log.h"
#include "Options.h"
#include "Session.h"

namespace anechoic {

// The thread that keeps a session on the server while audio flows: sends the microphone, places the
// processed voice, and connects again, for as long as it takes, after the server was lost.
class Worker {
 public:
  Worker(Format format, const Options& options, Exchange& exchange, const Log& log);
  // Ends the session.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

 private:
  using Clock = std::chrono::steady_clock;

  // The state that the log has reported last.
  enum class State { none, processing, absent, silent, refused };

  void run();
  void step(Clock::time_point now);
  void connect(Clock::time_point now);
  void readResponses(Clock::time_point now);
  void started(const v1::Started& started);
  void mute(bool muted);
  void play(const v1::AudioChunk& chunk);
  void passInput(Clock::time_point now);
  void ended(const grpc::Status& status, Clock::time_point now);
  void drop(State state, const std::string& reason, Clock::time_point now);
  void say(State state, const std::string& line);
  void sayLate(Clock::time_point now);
  void close();

  const Format format_;
  const Options options_;
  Exchange& exchange_;
  const Log log_;
  Session session_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::VoiceProcessingService::Stub> stub_;
  std::unique_ptr<Call> call_;
  bool processing_ = false;  // The server has started the session.

  State state_ = State::none;
  std::string stateLine_;
  int64_t heard_ = 0;  // the position after the newest input frame
  int64_t lateFrames_ = 0;
  Clock::time_point lateSince_;
  Clock::time_point lastInput_;
  std::optional<Clock::time_point> unansweredSince_;
  Clock::time_point retryAt_;
  std::chrono::milliseconds backoff_;
  std::minstd_rand random_{std::random_device{}()};

  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace anechoic
