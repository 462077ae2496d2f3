#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "Ending.h"
#include "Settings.h"
#include "Wakeup.h"

namespace anechoic {

// One call of `Process` on a connection of its own, driven by one thread. libgrpc's threads only
// note what has completed and wake that thread, so no function waits except `follow` and the
// destructor, which cancels the call, and waits for its end for 50 ms at most.
class Call {
 public:
  // Starts to connect. The first request follows.
  Call(const Settings& settings, const std::string& token, v1::ProcessRequest first,
       Wakeup& wakeup);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Continues to connect, for at most the time of `pace`, and starts the call as soon as there is a
  // connection. Ends the call if the connection is lost before the server has received the call.
  // The worker repeats this until the first response comes, without a pause until the call has
  // started.
  void follow();
  bool isStarted() const;
  static constexpr std::chrono::milliseconds pace{20};

  // Whether the next request can be written.
  bool canWrite() const;
  void write(v1::ProcessRequest request);
  // Closes the request stream, once the last request is written.
  void finish();

  // Returns the oldest response that is not released yet, or nullptr.
  const v1::ProcessResponse* response() const;
  void release();

  // Returns the end of the call, once it has ended.
  std::optional<Ending> ending();

 private:
  class Reactor;
  class Leftovers;
  std::unique_ptr<Reactor> reactor_;
};

}  // namespace anechoic
