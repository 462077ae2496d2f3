#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "KeptConfiguration.h"
#include "Settings.h"

namespace anechoic {

// The session on the server, and the state that outlives it. Makes the requests, and finds the
// position at which each part of the output is to be heard. Does no I/O.
//
// Positions count what the program has pushed. The session counts its own samples from its origin
// on.
class Session {
 public:
  explicit Session(const Settings& settings) : settings_(settings), config_(settings.config) {}

  // Returns the first request of a call. The request resumes the session from `kept` on, the oldest
  // position that can still be sent, or else starts a new session.
  v1::ProcessRequest start(bool resumes, int64_t kept, bool isMuted);
  // Records the server's answer. `pushed` is the position of the next sample. Returns how many
  // sample frames the session never gets, or nothing if the answer makes no sense.
  std::optional<int64_t> started(const v1::Started& started, int64_t pushed, int64_t lookAhead);
  // Records an event, and returns its position, or -1.
  int64_t noted(const v1::SessionEvent& event);
  // Records a decision about a client that asks to inject speech. The newest 256 are kept.
  void decided(const std::string& client, bool grants);
  // Returns the decision of the program about a client, in this session or one before.
  std::optional<bool> decision(const std::string& client) const;
  // The id is in use: the server chooses the next one.
  void forgetId() { id_.clear(); }
  // A server refuses the configuration of the session before: the next one begins with the program's
  // own.
  void forgetConfiguration();

  // The position of the next sample to be sent.
  int64_t next() const { return next_; }
  // Records that samples up to a position were sent.
  void sent(int64_t end);
  // Drops the audio that is older than a position. Returns the number of sample frames.
  int64_t skip(int64_t position);
  // Drops up to `count` of the sample frames that wait, in whole frames of 10 ms. The session does
  // not count them. Returns their number.
  int64_t drop(int64_t count, int64_t pushed);
  // The session's index of a position.
  int64_t index(int64_t position) const { return position - origin_; }
  // Returns the position of a sample that the server names, or -1 if the session has none there.
  int64_t named(int64_t index) const;

  // Returns the position at which the microphone captured the output with an index, or a negative
  // number if that was before the session.
  int64_t captured(int64_t index) const;
  // Returns the position of the playback with an index, or a negative number if that was before the
  // session.
  int64_t mixed(int64_t index) const { return index < originSince_ ? -1 : position(index); }
  // Records that output up to an index has arrived.
  void received(int64_t end);
  // The position up to which output has arrived, or a negative number if none has.
  int64_t received() const { return captured(received_); }

  // Where the microphone was when the call started. Older audio is sent, but its output comes too
  // late.
  int64_t caughtUpAt() const { return caughtUpAt_; }
  int64_t algorithmicDelay() const { return algorithmicDelay_; }
  const std::string& name() const { return name_; }
  const std::string& engine() const { return engine_; }

 private:
  bool canBeMeant(const v1::Started& started) const;
  int64_t resumed(const v1::Started::Resumed& resumed);
  void began(int64_t pushed);
  void changed(const v1::SessionConfig& config);
  void moveOrigin(int64_t samples);
  int64_t position(int64_t index) const { return index + origin_; }

  const Settings& settings_;
  KeptConfiguration config_;
  std::string id_;
  std::string name_;
  std::string engine_;
  std::string resumeToken_;
  std::optional<uint64_t> lastEvent_;
  std::deque<std::pair<std::string, bool>> decisions_;
  int64_t algorithmicDelay_ = 0;  // in sample frames
  int64_t origin_ = 0;            // the position of the session's sample 0
  int64_t originSince_ = 0;       // the index from which on the origin counts
  int64_t next_ = 0;
  int64_t skipped_ = 0;  // the position after the last sample that was given up
  // Indexes: the sample that `start` asked to go on with, if it did, the ends of what was sent and
  // of the output, and of what was received by the server or is counted as lost.
  std::optional<int64_t> resumedAt_;
  int64_t sent_ = 0;
  int64_t received_ = 0;
  int64_t settled_ = 0;
  int64_t caughtUpAt_ = 0;
};

}  // namespace anechoic
