// Servers that say what they cannot know.

#include <cmath>
#include <limits>
#include <random>

#include "Checks.h"
#include "Program.h"
#include "ScriptedServer.h"
#include "WireCases.h"

using namespace std::chrono_literals;

namespace {

constexpr int64_t most = std::numeric_limits<int64_t>::max();
constexpr int64_t absurd[] = {most, -most - 1, -1, int64_t(1) << 40, most / 2};

// A server that starts sessions, and returns the microphone.
void serve(ServedCall& call, const v1::ProcessRequest& request) {
  if (request.has_start()) call.send(answers::started());
  if (request.has_audio()) call.send(answers::output(request.audio()));
  if (request.has_control()) call.send(answers::result(request.control()));
}

void expectWell(Program& program, const ScriptedServer& server, int mostCalls) {
  check(server.calls() <= mostCalls, std::to_string(server.calls()) + " calls");
  for (const float sample : program.heard()) {
    if (!(std::abs(sample) <= 4)) check(false, "a sample is " + std::to_string(sample));
  }
  const auto time = program.close();
  check(time < 1s, "the end takes " + std::to_string(time.count()) + " ms");
}

// Each session is lost after some audio, and resumed at another absurd sample.
void absurdResumes() {
  for (const int64_t first : absurd) {
    ScriptedServer server([&](ServedCall& call, const v1::ProcessRequest& request) {
      if (request.has_start() && !request.start().resume_token().empty()) {
        auto answer = answers::resumed(first);
        answer.mutable_started()->mutable_resumed()->set_processed_sample(~first);
        answer.mutable_started()->mutable_resumed()->set_concealed_samples(first);
        return call.send(answer);
      }
      serve(call, request);
      const bool isEnd = request.has_audio() && request.audio().microphone().first_sample() > 1600;
      if (isEnd && call.number() == 0) call.end({grpc::StatusCode::UNAVAILABLE, "lost"});
    });
    Program program(server.address());
    program.runUntil([&] { return server.calls() >= 4; }, "attempts after garbage, which is a loss");
    expectWell(program, server, 12);
  }
}

void absurdStarts() {
  ScriptedServer server([](ServedCall& call, const v1::ProcessRequest& request) {
    if (!request.has_start()) return serve(call, request);
    auto answer = answers::started();
    v1::Started& started = *answer.mutable_started();
    switch (call.number()) {
      case 0:
        started.mutable_algorithmic_delay()->set_seconds(most);
        break;
      case 1:
        started.mutable_resumed()->set_microphone_sample(most);
        break;
      case 2:
        started.set_session(std::string(100000, 'a'));
        break;
      default:
        started.mutable_algorithmic_delay()->set_nanos(-2147483647);
        started.mutable_resume_window()->set_seconds(most);
        started.set_session("");
    }
    call.send(answer);
  });
  Program program(server.address());
  program.runUntil([&] { return program.voice().isProcessing(); }, "processed sound");
  expectWell(program, server, 4);
}

void samplesThatAreNoSound() {
  ScriptedServer server([](ServedCall& call, const v1::ProcessRequest& request) {
    if (!request.has_audio()) return serve(call, request);
    const auto& input = request.audio().microphone();
    const auto count = int64_t(input.samples().size() / sizeof(float));
    constexpr float values[] = {std::numeric_limits<float>::quiet_NaN(),
                                std::numeric_limits<float>::infinity(), 3e38f, -1e30f};
    call.send(answers::output(input.first_sample(), count,
                              values[input.first_sample() / count % std::size(values)]));
  });
  Program program(server.address());
  program.runUntil([&] { return program.voice().isProcessing(); }, "processed sound");
  program.run(500ms);
  const auto& heard = program.heard();
  const auto has = [&](float value) {
    return std::ranges::count(heard.end() - 6400, heard.end(), value) > 800;
  };
  check(has(0) && has(1) && has(4) && has(-4),
        "no numbers are silence, infinity is the full scale, and the rest is within bounds");
  expectWell(program, server, 1);
}

// Everything at once, for each piece of audio.
void absurdAnswers() {
  ScriptedServer server([](ServedCall& call, const v1::ProcessRequest& request) {
    serve(call, request);
    if (!request.has_audio()) return;
    for (const int64_t index : absurd) {
      call.send(answers::output(index, 480, 1));
      v1::ProcessResponse event;
      event.mutable_event()->set_event_id(uint64_t(index));
      event.mutable_event()->set_microphone_sample(index);
      event.mutable_event()->mutable_time()->set_seconds(index);
      event.mutable_event()->mutable_mute_changed();
      call.send(event);
      v1::ProcessResponse result;
      result.mutable_control_result()->set_control_id(uint64_t(index));
      result.mutable_control_result()->set_applied_at_sample(index);
      call.send(result);
      call.send(answers::resumed(index));
    }
    call.send(answers::started("sessions/second"));
    call.send({});
    call.sendBytes("");
  });
  Program program(server.address());
  program.runUntil([&] { return program.voice().isProcessing(); }, "processed sound");
  program.run(1s);
  program.runUntil([&] { return program.voice().isProcessing(); }, "the session goes on");
  check(program.voice().losses().misplaced >= 480, "what has no place is counted");
  for (const int64_t position : program.positions()) check(position == -1, "no event has a place");
  for (const float sample : program.heard()) {
    if (sample > 0.5f) check(false, "what has no place is not heard");
  }
  expectWell(program, server, 1);
}

// Pieces of the largest size, as fast as the client reads them.
void floods() {
  ScriptedServer server([](ServedCall& call, const v1::ProcessRequest& request) {
    serve(call, request);
    if (!request.has_audio()) return;
    const int64_t first = request.audio().microphone().first_sample();
    for (int count = 0; count < 20; ++count) call.send(answers::output(first, 160, 0.25f));
    if (first % 16000 == 0) call.send(answers::output(0, 1000000, 0.25f));
  });
  Program program(server.address());
  program.runUntil([&] { return program.voice().isProcessing(); }, "processed sound");
  program.run(1s);
  expectWell(program, server, 3);
}

// Valid answers in which some bytes were changed. Most of them are messages still.
void randomBytes() {
  ScriptedServer server([](ServedCall& call, const v1::ProcessRequest& request) {
    thread_local std::minstd_rand random(7);
    serve(call, request);
    if (!request.has_audio()) return;
    v1::ProcessResponse event;
    event.mutable_event()->mutable_config_changed()->mutable_config()->set_preferred_mic_mode(
        v1::MIC_MODE_WIDE_SPECTRUM);
    event.mutable_event()->mutable_time()->set_seconds(1);
    for (const auto& valid : {answers::output(request.audio()), answers::resumed(1600), event}) {
      std::string bytes = valid.SerializeAsString();
      for (int count = 0; count < 3; ++count) {
        bytes[random() % std::min<size_t>(bytes.size(), 60)] = char(random());
      }
      call.sendBytes(bytes);
    }
  });
  std::vector<std::unique_ptr<Program>> programs;
  for (const bool opus : {false, false, true, true}) {
    programs.push_back(std::make_unique<Program>(server.address(), opus));
  }
  for (int count = 0; count < 300; ++count) {
    for (const auto& program : programs) program->run(10ms);
  }
  for (const auto& program : programs) expectWell(*program, server, 60);
}

void aStateThatAServerRefusesIsForgotten() {
  std::atomic<bool> isAccepted{false};
  ScriptedServer server([&](ServedCall& call, const v1::ProcessRequest& request) {
    if (request.has_audio() && call.number() == 0) {
      v1::ProcessResponse changed;
      auto& config = *changed.mutable_event()->mutable_config_changed()->mutable_config();
      config.set_preferred_mic_mode(v1::MicMode(99));
      call.send(changed);
      return call.end(answers::refusal(grpc::StatusCode::UNAVAILABLE, "SERVER_SHUTDOWN"));
    }
    if (request.has_start() && request.start().config().preferred_mic_mode() == 99) {
      return call.end(answers::refusal(grpc::StatusCode::INVALID_ARGUMENT, "BAD_MIC_MODE"));
    }
    if (request.has_start() && call.number() > 0) isAccepted = true;
    serve(call, request);
  });
  Program program(server.address());
  program.runUntil([&] { return isAccepted && program.voice().isProcessing(); }, "a session");
  expectWell(program, server, 3);
}

}  // namespace

std::vector<Case> nonsenseCases() {
  return {
      {"a session that resumes at an absurd sample is lost", absurdResumes},
      {"starts without sense are losses", absurdStarts},
      {"samples that are no sound become silence or are clipped", samplesThatAreNoSound},
      {"answers without sense change nothing", absurdAnswers},
      {"answers with random bytes do no harm", randomBytes},
      {"a flood of answers does not keep the client from its end", floods},
      {"a state that a server refuses is forgotten", aStateThatAServerRefusesIsForgotten},
  };
}
