#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace anechoic {

// A call of this machine that its edge agent knows of, as long as this object lives, and no longer than
// the process. While the agent is away, a thread asks again.
class HeldCall {
 public:
  // Throws a std::invalid_argument that names what is wrong. An empty path finds the agent of this user,
  // or the service.
  HeldCall(const std::string& socketPath, const std::string& holder);
  // Ends the call, if nothing else holds it.
  ~HeldCall();
  HeldCall(const HeldCall&) = delete;
  HeldCall& operator=(const HeldCall&) = delete;

  // Whether the agent has confirmed it, and is still there.
  bool isHeld() const;

 private:
  struct State;
  class Attempt;
  void run();

  const std::vector<std::string> paths_;
  const std::string holder_;
  const std::unique_ptr<State> state_;
  std::thread thread_;
};

}  // namespace anechoic
