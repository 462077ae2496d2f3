// Calls that a program holds at the edge agent of the machine.

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "Checks.h"
#include "LibraryCases.h"
#include "ServerProcess.h"
#include "anechoic.h"

namespace {

// An anechoic-edge without devices and without a server, which has a call only when a program asks.
class AgentProcess {
 public:
  AgentProcess() {
    std::string pattern = std::filesystem::temp_directory_path() / "anechoic-XXXXXX";
    check(mkdtemp(pattern.data()) != nullptr, "a folder can be made");
    folder_ = pattern;
  }
  ~AgentProcess() {
    kill();
    std::filesystem::remove_all(folder_);
  }

  static std::string path() {
    return std::filesystem::path(ServerProcess::path).parent_path() / "anechoic-edge";
  }
  std::string socket() const { return folder_ + "/agent.sock"; }

  void start() {
    const std::string command =
        "exec " + path() + " run --server unix:" + folder_ + "/none --input null --output null" +
        " --voice fifo:" + folder_ + "/voice --calls request --session-id native" +
        " --control-socket " + socket() + " 2> " + folder_ + "/log";
    child_ = fork();
    check(child_ >= 0, "a process can be made");
    if (child_ == 0) {
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    waitFor([&] { return std::filesystem::exists(socket()); }, "the agent listens");
  }
  void kill() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    child_ = 0;
    std::filesystem::remove(socket());
  }

  // What the agent says about its call.
  std::string call() const {
    const std::string command = path() + " call --control-socket " + socket() + " 2>&1";
    FILE* pipe = popen(command.c_str(), "r");
    check(pipe != nullptr, "a command can be run");
    std::string text;
    std::array<char, 256> part;
    while (std::fgets(part.data(), int(part.size()), pipe) != nullptr) text += part.data();
    pclose(pipe);
    return text;
  }
  bool hasCall(const std::string& holder) const {
    return call().find(holder + " asked for it") != std::string::npos;
  }

 private:
  std::string folder_;
  pid_t child_ = 0;
};

// Says so where the agent is not built.
bool hasAgent() {
  if (access(AgentProcess::path().c_str(), X_OK) == 0) return true;
  std::puts("skipped: there is no anechoic-edge beside the server");
  return false;
}

void aCallIsHeldUntilItIsReleased() {
  if (!hasAgent()) return;
  AgentProcess agent;
  agent.start();
  check(agent.call().find("none") != std::string::npos, "there is no call at first");
  anechoic_call* call = anechoic_hold_call(agent.socket().c_str(), "softphone", nullptr, 0);
  check(call != nullptr, "the call is asked for");
  waitFor([&] { return anechoic_is_call_held(call); }, "the agent confirms the call");
  check(agent.hasCall("softphone"), agent.call());
  anechoic_call* other = anechoic_hold_call(agent.socket().c_str(), "robot", nullptr, 0);
  waitFor([&] { return anechoic_is_call_held(other); }, "another call is confirmed");
  anechoic_release_call(call);
  waitFor([&] { return agent.hasCall("robot") && !agent.hasCall("softphone"); }, "one is left");
  anechoic_release_call(other);
  waitFor([&] { return agent.call().find("none") != std::string::npos; }, "no call is left");
}

void aCallIsAskedForAgainWhenTheAgentComesBack() {
  if (!hasAgent()) return;
  AgentProcess agent;
  anechoic_call* call = anechoic_hold_call(agent.socket().c_str(), "softphone", nullptr, 0);
  check(call != nullptr && !anechoic_is_call_held(call), "no agent holds it yet");
  for (int round = 0; round < 2; ++round) {
    agent.start();
    waitFor([&] { return anechoic_is_call_held(call); }, "the agent confirms the call");
    check(agent.hasCall("softphone"), agent.call());
    agent.kill();
    waitFor([&] { return !anechoic_is_call_held(call); }, "the agent is missed");
  }
  // Also while the library waits to ask again.
  anechoic_release_call(call);
}

void aCallThatCannotBeIsRefused() {
  const std::string longPath(200, 'a');
  const std::array<std::array<const char*, 3>, 6> cases = {{
      {longPath.c_str(), "softphone", "socket: "},
      {nullptr, "", "holder: "},
      {nullptr, nullptr, "holder: "},
      {nullptr, " softphone", "holder: "},
      {nullptr, "soft\nphone", "holder: "},
      {nullptr, longPath.c_str(), "holder: "},
  }};
  for (const auto& [socket, holder, reason] : cases) {
    char message[64] = "";
    check(anechoic_hold_call(socket, holder, message, sizeof message) == nullptr, "it is refused");
    check(std::strncmp(message, reason, std::strlen(reason)) == 0, message);
  }
  check(!anechoic_is_call_held(nullptr), "NULL is no call");
  anechoic_release_call(nullptr);
}

}  // namespace

std::vector<Case> callCases() {
  return {
      {"a call of the machine is held until it is released", aCallIsHeldUntilItIsReleased},
      {"a call is asked for again when the agent comes back", aCallIsAskedForAgainWhenTheAgentComesBack},
      {"a call that cannot be is refused with a reason", aCallThatCannotBeIsRefused},
  };
}
