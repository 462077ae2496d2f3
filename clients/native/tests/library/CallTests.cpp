// Calls that a program holds at the edge agent of the machine.

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "Checks.h"
#include "Child.h"
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
        " --spare-far-ends 1" +
        " --control-socket " + socket() + " 2> " + folder_ + "/log";
    child_ = forkChild();
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
  std::string call() const { return output("call"); }
  // Whether it plays a far end of this name.
  bool plays(const std::string& name) const {
    return output("status --json").find("\"farEnds\":[{\"name\":\"" + name) != std::string::npos;
  }
  std::string output(const std::string& arguments) const {
    const std::string command = path() + " " + arguments + " --control-socket " + socket() + " 2>&1";
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

// Waits until a far end is over, and returns the reason.
std::string endOf(anechoic_far_end* farEnd) {
  char reason[256] = "";
  waitFor([&] { return anechoic_is_far_end_over(farEnd, reason, sizeof reason); }, "it is over");
  return reason;
}

void aFarEndIsPlayedByTheAgent() {
  if (!hasAgent()) return;
  AgentProcess agent;
  agent.start();
  const std::string socket = agent.socket();
  anechoic_call* call = anechoic_hold_call(socket.c_str(), "softphone", nullptr, 0);
  waitFor([&] { return anechoic_is_call_held(call); }, "the agent confirms the call");
  const anechoic_place left{90, 0, 1, 0}, nowhere{0, 0, 0, 0};
  char message[256] = "";
  anechoic_far_end* alice = anechoic_play_far_end(socket.c_str(), "alice", 16000, 2, &left, message,
                                                  sizeof message);
  check(alice != nullptr, message);
  waitFor([&] { return agent.plays("alice"); }, "the agent plays it");
  // Another program cannot have the name, nor a name for which there is no room.
  for (const auto& [name, reason] : {std::pair("alice", "another program plays"),
                                     std::pair("bob", "no spare far end is left")}) {
    anechoic_far_end* other =
        anechoic_play_far_end(socket.c_str(), name, 48000, 1, nullptr, nullptr, 0);
    const std::string told = endOf(other);
    check(told.find(reason) != std::string::npos, told);
    check(anechoic_write_far_end(other, std::array<float, 480>{}.data(), 480) == 0, "no room");
    anechoic_end_far_end(other);
  }
  // The agent takes 2 s of sound at the pace of its microphone, and no more than fits waits.
  const std::vector<float> sound(2 * 320, 0.1f);
  size_t written = 0;
  bool wasFull = false;
  for (int tries = 0; written < 32000 && tries < 2000; ++tries) {
    const size_t taken = anechoic_write_far_end(alice, sound.data(), 320);
    written += taken;
    wasFull = wasFull || taken < 320;
    if (taken < 320) usleep(5000);
  }
  check(written >= 32000, std::to_string(written) + " sample frames were taken");
  check(anechoic_move_far_end(alice, &left), "a place");
  check(!anechoic_move_far_end(alice, &nowhere), "at the head");
  check(!anechoic_is_far_end_over(alice, message, sizeof message), message);
  anechoic_end_far_end(alice);
  waitFor([&] { return !agent.plays("alice"); }, "the far end is free");
  agent.kill();
  anechoic_far_end* late = anechoic_play_far_end(socket.c_str(), "alice", 16000, 1, nullptr, message,
                                                 sizeof message);
  check(!endOf(late).empty(), "an agent that is away is told");
  anechoic_end_far_end(late);
  anechoic_release_call(call);
}

void aFarEndThatCannotBeIsRefused() {
  const anechoic_place nowhere{0, 0, 0, 0};
  const auto reason = [](const char* name, uint32_t rate, uint32_t channels,
                         const anechoic_place* place) {
    char message[64] = "";
    check(anechoic_play_far_end("/none", name, rate, channels, place, message, sizeof message) ==
              nullptr,
          "it is refused");
    return std::string(message);
  };
  check(reason("a b", 16000, 1, nullptr).starts_with("name: "), "a name");
  check(reason(nullptr, 16000, 1, nullptr).starts_with("name: "), "no name");
  check(reason("alice", 22050, 1, nullptr).starts_with("sample_rate_hz: "), "a rate");
  check(reason("alice", 16000, 3, nullptr).starts_with("channels: "), "channels");
  check(reason("alice", 16000, 1, &nowhere).starts_with("place: "), "a place");
  check(anechoic_is_far_end_over(nullptr, nullptr, 0), "NULL is over");
  check(anechoic_write_far_end(nullptr, nullptr, 5) == 0, "NULL takes nothing");
  anechoic_end_far_end(nullptr);
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
      {"a far end is played by the agent", aFarEndIsPlayedByTheAgent},
      {"a far end that cannot be is refused with a reason", aFarEndThatCannotBeIsRefused},
  };
}
