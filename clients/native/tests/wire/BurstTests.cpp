// Bursts: of connections that are cut, of changes, and of controls.

#include <deque>
#include <mutex>
#include <random>
#include <thread>

#include "Checks.h"
#include "Cutter.h"
#include "Program.h"
#include "ScriptedServer.h"
#include "WireCases.h"

using namespace std::chrono_literals;

namespace {

// Responses wait at the client while its writes fail, at random moments. Under AddressSanitizer,
// this finds a call that something reaches after its end.
void connectionsAreCut() {
  ScriptedServer server([](ServedCall& call, const v1::ProcessRequest& request) {
    if (request.has_start()) {
      const bool resumes = !request.start().resume_token().empty();
      call.send(resumes ? answers::resumed(request.start().resume_point().microphone_sample())
                        : answers::started());
    }
    if (!request.has_audio()) return;
    for (int count = 0; count < 5; ++count) call.send(answers::output(request.audio()));
  });
  Cutter cutter(server.port());
  std::atomic<bool> isOver{false};
  std::thread knife([&] {
    std::minstd_rand random(1);
    while (!isOver) {
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 300));
      cutter.cut();
    }
  });
  std::vector<std::thread> threads;
  for (int number = 0; number < 8; ++number) {
    threads.emplace_back([&, number] {
      for (int count = 0; count < 4; ++count) {
        Program program(cutter.address());
        program.run(std::chrono::milliseconds(1000 + 137 * number));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  isOver = true;
  knife.join();
  // A busy machine slows ThreadSanitizer down so much that most programs begin few calls.
  check(server.calls() > 32, "the clients have come back: " + std::to_string(server.calls()));
}

// A server sends more than the client reads at once, and ends the call: the client's writes fail
// while responses wait.
void writesFailWhileResponsesWait() {
  std::atomic<int> audio{0};
  ScriptedServer server([&](ServedCall& call, const v1::ProcessRequest& request) {
    if (request.has_start()) call.send(answers::started());
    if (!request.has_audio()) return;
    const int number = ++audio;
    for (int count = 0; count < 40 * (number % 5); ++count) {
      call.send(answers::output(request.audio()));
    }
    if (number % 3 == 0) call.end({grpc::StatusCode::UNAVAILABLE, "lost"});
  });
  std::vector<std::thread> threads;
  for (int number = 0; number < 12; ++number) {
    threads.emplace_back([&] {
      Program program(server.address());
      program.run(6s);
    });
  }
  for (std::thread& thread : threads) thread.join();
  check(server.calls() > 12, "the clients have come back: " + std::to_string(server.calls()));
}

// Many calls that end by themselves before anybody leaves them.
void anAbsentServerDoesNoHarm() {
  std::atomic<int> reasons{0};
  std::vector<std::thread> threads;
  for (int number = 0; number < 16; ++number) {
    threads.emplace_back([&] {
      Program program("unix:/nonexistent/server.sock");
      program.run(8s);
      reasons += int(program.reasons().size());
    });
  }
  for (std::thread& thread : threads) thread.join();
  check(reasons == 16, "each program is told once: " + std::to_string(reasons));
}

// A server that has room for few controls, answers late, and says what it has applied last.
class Room {
 public:
  void serve(ServedCall& call, const v1::ProcessRequest& request) {
    const std::lock_guard lock(mutex_);
    if (request.has_start()) call.send(answers::started());
    if (request.has_control()) {
      ++controls_;
      const bool isFull = pending_.size() >= 8;
      if (isFull) ++refused_;
      if (isFull) return call.send(answers::result(request.control(), "TOO_MANY_CONTROLS"));
      pending_.push_back(request.control());
    }
    if (!request.has_audio()) return;
    call.send(answers::output(request.audio()));
    if (++frames_ % 5 != 0) return;
    for (; !pending_.empty(); pending_.pop_front()) {
      const v1::Control& control = pending_.front();
      if (control.has_set_mute()) muted_ = control.set_mute().muted();
      if (control.has_decide_injection_permission()) {
        const auto& decision = control.decide_injection_permission();
        granted_[decision.client()] = decision.grant();
      }
      call.send(answers::result(control));
    }
  }

  template <typename Read>
  auto read(const Read& read) const {
    const std::lock_guard lock(mutex_);
    return read();
  }
  bool isMuted() const { return read([&] { return muted_; }); }
  bool isGranted(const std::string& client) const {
    return read([&] { return granted_.contains(client) && granted_.at(client); });
  }
  int controls() const { return read([&] { return controls_; }); }
  int refused() const { return read([&] { return refused_; }); }

 private:
  mutable std::mutex mutex_;
  std::deque<v1::Control> pending_;
  std::map<std::string, bool> granted_;
  bool muted_ = false;
  int frames_ = 0, controls_ = 0, refused_ = 0;
};

v1::Control decision(const std::string& client, bool grants) {
  v1::Control control;
  control.mutable_decide_injection_permission()->set_client(client);
  control.mutable_decide_injection_permission()->set_grant(grants);
  return control;
}

void theLastOfManyStatesCounts() {
  Room room;
  ScriptedServer server(
      [&](ServedCall& call, const v1::ProcessRequest& request) { room.serve(call, request); });
  Program program(server.address());
  program.runUntil([&] { return program.voice().isProcessing(); }, "processed sound");
  const auto name = [](int count) { return "client " + std::to_string(count % 40); };
  for (int count = 0; count < 400; ++count) {
    program.voice().setMuted(count % 2 == 1);
    program.voice().control(decision(name(count), count >= 360));
  }
  const auto isDone = [&] {
    for (int count = 0; count < 40; ++count) {
      if (!room.isGranted(name(count))) return false;
    }
    return room.isMuted();
  };
  program.runUntil(isDone, "the last of all states");
  program.run(500ms);
  check(isDone() && program.voice().isMuted(), "it stays");
  check(room.refused() > 0, "the server had too little room");
  check(room.controls() < 400, std::to_string(room.controls()) + " controls were sent");
}

// A server that refuses each control must not be asked thousands of times.
void refusedControlsAreNotAFlood() {
  std::atomic<int> controls{0};
  ScriptedServer server([&](ServedCall& call, const v1::ProcessRequest& request) {
    if (request.has_start()) call.send(answers::started());
    if (request.has_audio()) call.send(answers::output(request.audio()));
    if (!request.has_control()) return;
    ++controls;
    call.send(answers::result(request.control(), "TOO_MANY_CONTROLS"));
  });
  Program program(server.address());
  program.runUntil([&] { return program.voice().isProcessing(); }, "processed sound");
  program.voice().setMuted(true);
  program.voice().control(decision("one", true));
  program.run(2s);
  check(controls >= 4 && controls <= 12, std::to_string(controls) + " controls in 2 s");
}

void manyPosesAreNotAFlood() {
  std::atomic<int64_t> poses{0}, bytes{0};
  ScriptedServer server([&](ServedCall& call, const v1::ProcessRequest& request) {
    if (request.has_start()) call.send(answers::started());
    if (request.has_head_pose()) ++poses;
    if (!request.has_audio()) return;
    bytes += int64_t(request.audio().microphone().samples().size());
    call.send(answers::output(request.audio()));
  });
  Program program(server.address());
  program.runUntil([&] { return program.voice().isProcessing(); }, "processed sound");
  std::atomic<bool> isOver{false};
  std::thread head([&] {
    for (const v1::HeadPose pose; !isOver;) program.voice().turnHead(pose);
  });
  const int64_t before = bytes;
  program.run(2s);
  isOver = true;
  head.join();
  const int64_t sent = (bytes - before) / int64_t(sizeof(float));
  check(poses > 0 && poses <= 600, std::to_string(poses) + " poses in 2 s");
  check(sent > 24000, std::to_string(sent) + " samples of 2 s were sent");
}

}  // namespace

std::vector<Case> burstCases() {
  return {
      {"connections that are cut at random moments do no harm", connectionsAreCut},
      {"writes fail while responses wait, and do no harm", writesFailWhileResponsesWait},
      {"an absent server does no harm", anAbsentServerDoesNoHarm},
      {"the last of many mute states and decisions counts", theLastOfManyStatesCounts},
      {"controls that a server refuses are no flood", refusedControlsAreNotAFlood},
      {"many poses are no flood", manyPosesAreNotAFlood},
  };
}
