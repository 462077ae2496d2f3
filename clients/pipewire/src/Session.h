#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "Exchange.h"
#include "Format.h"
#include "Options.h"
#include "anechoic/v1/voice_processing.pb.h"

namespace anechoic {

// One session of the server: makes its requests, and finds the position at which each part of its
// output is to be heard. Does no I/O.
class Session {
 public:
  Session(Format format, const Options& options) : format_(format), options_(options) {}

  // Returns the first request of a call. It continues the session if that is possible. `position`
  // is that of the next microphone sample. A new session begins muted or not.
  v1::ProcessRequest start(int64_t position, bool muted);
  void started(const v1::Started& started);
  v1::ProcessRequest audio(const InputFrame& frame);
  // Copies a chunk of the output. Returns false for output from before the first microphone sample.
  bool place(const v1::AudioChunk& chunk, int64_t delay, OutputFrame& frame) const;

  // Whether the next call continues this session.
  bool continues() const { return !resumeToken_.empty(); }
  // Makes the next call start a new session.
  void forget() { resumeToken_.clear(); }

  int64_t algorithmicDelay() const { return algorithmicDelay_; }
  const std::string& engine() const { return engine_; }

 private:
  const Format format_;
  const Options& options_;
  std::string engine_;
  std::string resumeToken_;
  int64_t algorithmicDelay_ = 0;      // in sample frames
  std::optional<int64_t> origin_;     // the position of the session's sample 0
  std::optional<int64_t> firstSent_;  // the session's sample with which this call began
  int64_t resumedAt_ = 0;             // the session's sample that `start` asked to continue with
};

}  // namespace anechoic
