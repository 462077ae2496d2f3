// Far ends, their places, the head, the route, and pairs of microphones.

#include <cmath>
#include <cstring>

#include "AudioThread.h"
#include "Checks.h"
#include "Client.h"
#include "LibraryCases.h"
#include "Pace.h"
#include "ServerProcess.h"

namespace {

const char* const ids[] = {"alice", "bob"};

// A call with far ends, of which the first one talks.
class Listener {
 public:
  explicit Listener(const std::string& address)
      : client_([&](anechoic_options& options) {
          patient(address, rate)(options);
          options.playback_channels = 2;
          options.far_ends = ids;
          options.far_end_count = 2;
          options.spatial_audio = options.head_tracked = true;
        }) {}

  // Plays for some time, and returns the level of the left ear minus that of the right one, in dB,
  // in the last 400 ms.
  double sides(double seconds) {
    const Samples heard = play(seconds);
    Samples left, right;
    for (size_t at = heard.size() - 2 * size_t(0.4 * rate); at < heard.size(); at += 2) {
      left.push_back(heard[at]);
      right.push_back(heard[at + 1]);
    }
    return decibels(left, 0, left.size()) - decibels(right, 0, right.size());
  }

  // Waits until the playback comes from the server.
  void waitForServer() {
    for (int tries = 0; tries < 300; ++tries) {
      if (std::fabs(sides(0.5)) > 3) return;
    }
    throw Failure("waited in vain for rendered sound");
  }

  Samples play(double seconds) {
    const Samples talk = noise(seconds, rate);
    Samples output(2 * talk.size());
    int faults = 0;
    const Pace pace(rate);
    for (size_t done = 0; done + block <= talk.size(); done += block) {
      const int before = audio_thread::forbiddenCalls();
      {
        const audio_thread::Audio audio;
        faults += anechoic_push_far_end(client_.session(), 0, &talk[done], block) != block;
        anechoic_push(client_.session(), quiet_.data(), nullptr, block);
        faults += anechoic_pull(client_.session(), voice_.data(), block) != block;
        faults += anechoic_pull_playback(client_.session(), &output[2 * done], block) != block;
      }
      faults += audio_thread::forbiddenCalls() - before;
      pace.wait(done + block);
    }
    check(faults == 0, "no function for audio threads allocates, locks or waits");
    return output;
  }

  void use(bool headphones) {
    anechoic_route route{};
    route.size = sizeof route;
    route.input_id = "microphone";
    route.output_id = headphones ? "headphones" : "loudspeaker";
    route.headphones = headphones;
    check(anechoic_report_route(client_.session(), &route), "the route is valid");
  }
  void place(float azimuth) {
    const anechoic_place place{azimuth, 0, 1, 0};
    check(anechoic_place_far_end(client_.session(), 0, &place), "the place is valid");
  }

  anechoic_session* session() { return client_.session(); }

 private:
  static constexpr uint32_t rate = 16000;
  static constexpr size_t block = 160;
  Client client_;
  const Samples quiet_ = Samples(block);
  Samples voice_ = Samples(block);
};

void farEndsAreHeardFromTheirPlaces() {
  ServerProcess server;
  server.start();
  Listener listener(server.address());
  listener.use(true);
  listener.place(90);
  listener.waitForServer();
  const double left = listener.sides(1.5);
  check(left > 5, "from the left: " + std::to_string(left) + " dB");
  check(anechoic_report_head_pose(listener.session(), 90, 0, 0), "the pose is valid");
  const double ahead = listener.sides(1.5);
  check(std::fabs(ahead) < 2, "the head turns to the far end: " + std::to_string(ahead) + " dB");
  listener.place(0);
  const double right = listener.sides(1.5);
  check(right < -5, "the place moves to the right: " + std::to_string(right) + " dB");
  anechoic_set_spatial_audio(listener.session(), false, false);
  const double off = listener.sides(1.5);
  check(std::fabs(off) < 0.1, "mixed down: " + std::to_string(off) + " dB");
  anechoic_set_spatial_audio(listener.session(), true, false);
  listener.place(90);
  check(listener.sides(1.5) > 5, "on again, and the head looks straight ahead");
  listener.use(false);
  check(std::fabs(listener.sides(1.5)) < 0.1, "no ears at a loudspeaker");
}

void aSessionThatFollowsKnowsThePlaces() {
  ServerProcess server;
  server.start();
  Listener listener(server.address());
  listener.use(true);
  listener.place(0);
  check(anechoic_report_head_pose(listener.session(), 90, 0, 0), "the pose is valid");
  listener.waitForServer();
  server.kill();
  const double alone = listener.sides(4);
  check(std::fabs(alone) < 0.1, "without a server, both ears hear: " + std::to_string(alone));
  // Placed while nobody listens.
  listener.place(180);
  server.start();
  listener.waitForServer();
  const double left = listener.sides(1);
  check(left > 5, "the pose, the route and the place are told again: " + std::to_string(left));
}

void farEndsAreHeardWithoutAServer() {
  Client client([](anechoic_options& options) {
    options.server = "unix:/nonexistent/server.sock";
    options.playback_channels = 2;
    options.far_ends = ids;
    options.far_end_count = 2;
  });
  const Samples talk = noise(1, 48000), expected = delayed(talk, 48000 * 120 / 1000);
  Samples quiet(480), heard(2 * talk.size());
  for (size_t done = 0; done < talk.size(); done += 480) {
    check(anechoic_push_far_end(client.session(), 1, &talk[done], 480) == 480, "all are taken");
    anechoic_push(client.session(), quiet.data(), nullptr, 480);
    check(anechoic_pull_playback(client.session(), &heard[2 * done], 480) == 480, "as many");
  }
  for (size_t at = 0; at < talk.size(); ++at) {
    check(heard[2 * at] == expected[at] && heard[2 * at + 1] == expected[at],
          "both channels, delay_ms later");
  }
  // More than the microphone has samples for.
  const Samples flood(4 * 48000);
  check(anechoic_push_far_end(client.session(), 0, flood.data(), flood.size()) == 2 * 48000,
        "at most two seconds wait");
  check(anechoic_push_far_end(client.session(), 2, flood.data(), 10) == 0, "an unknown far end");
  check(anechoic_pull_playback(client.session(), heard.data(), 10) == 0, "nothing is left");
}

void otherAudioIsHeardWithoutAServer() {
  for (const uint32_t channels : {1u, 2u}) {
    for (const uint32_t playback : {1u, 2u}) {
      Client client([&](anechoic_options& options) {
        options.server = "unix:/nonexistent/server.sock";
        options.playback_channels = playback;
        options.other_audio_channels = channels;
      });
      const Samples music = noise(1, 48000 * channels);
      Samples quiet(480), heard(48000 * playback);
      for (size_t done = 0; done < 48000; done += 480) {
        check(anechoic_push_other_audio(client.session(), &music[done * channels], 480) == 480,
              "all are taken");
        anechoic_push(client.session(), quiet.data(), nullptr, 480);
        check(anechoic_pull_playback(client.session(), &heard[done * playback], 480) == 480,
              "as many");
      }
      constexpr size_t delay = 48000 * 120 / 1000;
      for (size_t at = delay; at < 48000; ++at) {
        const float* const sample = &music[(at - delay) * channels];
        for (size_t side = 0; side < playback; ++side) {
          const float mean = (sample[0] + sample[channels - 1]) / 2;
          const float expected = channels == playback ? sample[side] : mean;
          check(std::fabs(heard[at * playback + side] - expected) < 1e-6,
                std::to_string(channels) + " channels in " + std::to_string(playback));
        }
      }
    }
  }
  Client without([](anechoic_options& options) { options.server = "unix:/nonexistent/server.sock"; });
  const Samples some(480);
  check(anechoic_push_other_audio(without.session(), some.data(), 480) == 0, "no other audio");
}

// Returns the level of other audio in the playback of a server in dB, with a ducking.
double duckedLevel(const std::string& address, anechoic_ducking ducking) {
  Client client([&](anechoic_options& options) {
    patient(address, 16000)(options);
    options.playback_channels = 1;
    options.other_audio_channels = 1;
    options.other_audio_ducking = ducking;
  });
  client.driveUntilProcessed();
  const Samples music = noise(2, 16000);
  Samples quiet(160), voice(160), heard(music.size());
  int faults = 0;
  const Pace pace(16000);
  for (size_t done = 0; done + 160 <= music.size(); done += 160) {
    const int before = audio_thread::forbiddenCalls();
    {
      const audio_thread::Audio audio;
      faults += anechoic_push_other_audio(client.session(), &music[done], 160) != 160;
      anechoic_push(client.session(), quiet.data(), nullptr, 160);
      anechoic_pull(client.session(), voice.data(), 160);
      anechoic_pull_playback(client.session(), &heard[done], 160);
    }
    faults += audio_thread::forbiddenCalls() - before;
    pace.wait(done + 160);
  }
  check(faults == 0, "no function for audio threads allocates, locks or waits");
  return decibels(heard, heard.size() / 2, heard.size() / 2);
}

void otherAudioIsLoweredByItsDucking() {
  ServerProcess server;
  server.start();
  const double least = duckedLevel(server.address(), ANECHOIC_DUCKING_MIN);
  const double most = duckedLevel(server.address(), ANECHOIC_DUCKING_MAX);
  check(std::fabs(least - most - 26) < 2,
        std::to_string(least) + " dB and " + std::to_string(most) + " dB");
}

void pairsHearInADirection() {
  ServerProcess server;
  server.start();
  const std::string address = server.address();
  const anechoic_microphone_pair pair{ANECHOIC_CARDIOID, 343.0f / 16, false};
  Client client([&](anechoic_options& options) {
    patient(address)(options);
    options.microphone_channels = 2;
    options.microphone_pair = pair;
  });
  client.driveUntilProcessed();
  const Samples talk = noise(2, 16000);
  Samples rear;  // The second microphone hears the sound a sample earlier.
  for (size_t at = 1; at < talk.size(); ++at) {
    rear.push_back(0.3f * talk[at - 1]);
    rear.push_back(0.3f * talk[at]);
  }
  const auto level = [&] {
    const Samples heard = client.drive(rear, {}, 160, true);
    return decibels(heard, heard.size() / 2, heard.size() / 2);
  };
  const double before = level();
  anechoic_route route{};
  route.size = sizeof route;
  route.input_id = "tablet";
  route.microphone_pair = pair;
  route.microphone_pair.turned = true;
  check(anechoic_report_route(client.session(), &route), "the route is valid");
  const double turned = level();
  check(turned - before > 20, "behind " + std::to_string(before) + " dB, in front " +
                                  std::to_string(turned) + " dB");
}

template <typename Set>
void isRefused(const Set& set, const char* part) {
  anechoic_options options;
  anechoic_options_init(&options);
  set(options);
  char message[200] = "";
  check(anechoic_open(&options, message, sizeof message) == nullptr, part);
  check(std::strstr(message, part) != nullptr, message);
}

void wrongScenesAreRefused() {
  static const char* const twins[] = {"alice", "alice"};
  static const char* const spaces[] = {"a b"};
  isRefused([](auto& options) { options.playback_channels = 3; }, "playback_channels");
  isRefused([](auto& options) { options.far_end_count = 17; }, "far_end_count");
  isRefused([](auto& options) { options.other_audio_channels = 3; }, "other_audio_channels");
  isRefused([](auto& options) { options.other_audio_channels = 1; }, "needs playback_channels");
  isRefused([](auto& options) { options.other_audio_ducking = anechoic_ducking(9); },
            "other_audio_ducking: 9 is unknown");
  isRefused([](auto& options) { options.far_end_count = 1; }, "far_ends");
  isRefused(
      [](auto& options) {
        options.far_ends = twins;
        options.far_end_count = 2;
      },
      "playback_channels");
  for (const auto& names : {twins, spaces}) {
    isRefused(
        [&](auto& options) {
          options.far_ends = names;
          options.far_end_count = names == twins ? 2 : 1;
          options.playback_channels = 1;
        },
        names == twins ? "far_ends[1]" : "far_ends[0]");
  }
  isRefused([](auto& options) { options.microphone_pair = {ANECHOIC_STEREO, 20, false}; },
            "2 microphone_channels");
  isRefused(
      [](auto& options) {
        options.microphone_channels = 2;
        options.microphone_pair = {ANECHOIC_STEREO, 51, false};
      },
      "5 to 50 mm");
  Client client([](anechoic_options& options) {
    options.server = "unix:/nonexistent/server.sock";
    options.playback_channels = 1;
    options.far_ends = ids;
    options.far_end_count = 2;
  });
  const anechoic_place right{0, 0, 1, 0}, near{0, 0, 0, 0}, nothing{NAN, 0, 1, 0};
  anechoic_session* const session = client.session();
  check(anechoic_place_far_end(session, 1, &right), "a place");
  check(!anechoic_place_far_end(session, 2, &right), "an unknown far end");
  check(!anechoic_place_far_end(session, 0, &near), "at the head");
  check(!anechoic_place_far_end(session, 0, &nothing), "no number");
  check(!anechoic_place_far_end(session, 0, nullptr), "no place");
  check(!anechoic_report_head_pose(session, NAN, 0, 0), "no angle");
  check(!anechoic_report_head_pose(session, 0, 361, 0), "more than a turn");
  anechoic_route route{};
  check(!anechoic_report_route(session, &route), "a route without its size");
  route.size = sizeof route;
  const std::string longest(256, 'a');
  route.output_id = longest.c_str();
  check(!anechoic_report_route(session, &route), "a long id");
  route.output_id = "\xff";
  check(!anechoic_report_route(session, &route), "no UTF-8");
  route.output_id = nullptr;
  route.microphone_pair = {ANECHOIC_STEREO, 20, false};
  check(!anechoic_report_route(session, &route), "a pair without an input");
  check(anechoic_report_route(session, nullptr), "no suitable route");
}

}  // namespace

std::vector<Case> sceneCases() {
  return {
      {"far ends are heard from their places", farEndsAreHeardFromTheirPlaces},
      {"a session that follows knows the places", aSessionThatFollowsKnowsThePlaces},
      {"far ends are heard without a server", farEndsAreHeardWithoutAServer},
      {"other audio is heard without a server", otherAudioIsHeardWithoutAServer},
      {"other audio is lowered by its ducking", otherAudioIsLoweredByItsDucking},
      {"pairs of microphones hear in a direction", pairsHearInADirection},
      {"wrong far ends, places and pairs are refused", wrongScenesAreRefused},
  };
}
