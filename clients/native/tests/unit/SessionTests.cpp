#include "Session.h"

#include <limits>

#include "Debt.h"
#include "Units.h"

using namespace anechoic;

namespace {

Settings settings() {
  Settings settings;
  settings.format = {16000, 1, 1};
  settings.config.set_preferred_mic_mode(v1::MIC_MODE_VOICE_ISOLATION);
  return settings;
}

v1::Started answer(const std::string& name = "sessions/first") {
  v1::Started started;
  started.set_session(name);
  started.set_resume_token("secret");
  started.mutable_algorithmic_delay()->set_nanos(20'000'000);
  return started;
}

void aNewSessionHasNoDebt() {
  const Settings given = settings();
  Session session(given);
  session.start(false, 0, false);
  // A second was pushed before the server has answered.
  check(session.started(answer(), 16000, 0) == 16000, "what came before is lost, and is counted");
  check(session.next() == 16000 && session.index(16000) == 0, "the next sample is the first one");
  session.sent(32000);
  session.start(false, 0, false);
  check(session.started(answer(), 40005, 0) == 8160,
        "8005 samples, and up to the next whole frame");
  check(session.index(session.next()) == 0 && session.next() == 40160, "the index begins anew");
}

void outputFindsItsPlace() {
  const Settings given = settings();
  Session session(given);
  session.start(false, 0, false);
  session.started(answer(), 1600, 0);
  check(session.captured(0) < 0 && session.captured(319) < 0, "before the session, there is none");
  check(session.captured(320) == 1600, "the delay of the engine is left out");
}

void aResumedSessionContinues() {
  const Settings given = settings();
  Session session(given);
  session.start(false, 0, false);
  session.started(answer(), 0, 0);
  session.sent(16000);
  session.received(15000);
  v1::SessionEvent event;
  event.set_event_id(7);
  session.noted(event);
  const auto request = session.start(true, 8000, true);
  const auto& start = request.start();
  check(start.resume_token() == "secret" && start.session_id() == "first", "it has the token");
  check(start.resume_point().microphone_sample() == 8000, "the oldest audio that was kept");
  check(start.resume_point().processed_samples() == 15000 &&
            start.resume_point().last_event_id() == 7,
        "what has arrived is not sent again");
  v1::Started resumed = answer();
  resumed.mutable_resumed()->set_microphone_sample(14400);
  check(session.started(resumed, 50000, 0) == 0, "nothing is lost");
  check(session.next() == 14400 && session.index(14400) == 14400, "it goes on where the server is");
}

void aLongGapMovesTheOrigin() {
  const Settings given = settings();
  Session session(given);
  session.start(false, 0, false);
  session.started(answer(), 0, 0);
  session.sent(16000);
  session.start(true, 320000, false);
  v1::Started resumed = answer();
  resumed.mutable_resumed()->set_microphone_sample(176000);  // 10 s after what the server has
  check(session.started(resumed, 352000, 0) == 304000, "19 s are lost");
  check(session.next() == 320000 && session.index(320000) == 176000, "the index follows");
  check(session.skip(320000 + 200000) == 200000, "a caller that was away for 12.5 s");
  check(session.index(520000) == 176000 + 160000, "no index jumps by more than 10 s");
}

// A session that has sent 3 s, of which the server has received 2.9 s, and a caller that was then
// away for so long that these 100 ms are too old to be sent again.
void everyLossIsCountedOnce() {
  const Settings given = settings();
  Session session(given);
  session.start(false, 0, false);
  session.started(answer(), 0, 0);
  session.sent(48000);
  int64_t lost = session.skip(64000);
  session.start(true, 63900, false);
  lost += session.skip(64160);  // while the server answers
  v1::Started resumed = answer();
  resumed.mutable_resumed()->set_microphone_sample(63900);
  resumed.mutable_resumed()->set_concealed_samples(63900 - 46400);
  lost += *session.started(resumed, 96160, 0);
  check(session.next() == 64160, "what was given up is not sent");
  check(lost == 64160 - 46400, "each sample is counted once: " + std::to_string(lost));
  session.sent(80000);
  session.start(true, 79000, false);
  resumed.mutable_resumed()->set_microphone_sample(80000);
  resumed.mutable_resumed()->set_concealed_samples(80000);
  check(session.started(resumed, 100000, 0) == 80000 - 64160,
        "a server can lose no more than it was sent since");
}

void aStartWithoutSenseIsRefused() {
  const Settings given = settings();
  const auto isRefused = [&](bool resumes, auto change) {
    Session session(given);
    session.start(false, 0, false);
    session.started(answer(), 1600, 0);
    session.sent(17600);
    if (resumes) session.start(true, 8000, false);
    v1::Started started = answer();
    change(started);
    const bool refused = !session.started(started, 40000, 0);
    check(session.next() >= 0 && session.next() <= 40160, "the session stays within what it has");
    return refused;
  };
  const auto at = [](int64_t first) {
    return [first](v1::Started& started) {
      started.mutable_resumed()->set_microphone_sample(first);
      started.mutable_resumed()->set_processed_sample(first);
      started.mutable_resumed()->set_concealed_samples(first);
    };
  };
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  for (const int64_t first : {most, -most - 1, int64_t(-1), int64_t(16001), int64_t(1) << 40}) {
    check(isRefused(true, at(first)), "a resumed session at " + std::to_string(first));
  }
  for (const int64_t first : {0, 6400, 16000}) check(!isRefused(true, at(first)), "within");
  check(isRefused(false, at(0)), "a resumed session that was not asked for");
  check(isRefused(false, [](auto& started) {
          started.mutable_algorithmic_delay()->set_seconds(most);
        }), "a delay of an eternity");
  check(isRefused(false, [](auto& started) {
          started.mutable_algorithmic_delay()->set_seconds(1);
          started.mutable_algorithmic_delay()->set_nanos(1);
        }), "a delay of more than 1 s");
  check(!isRefused(false, [](auto& started) {
          started.mutable_algorithmic_delay()->set_seconds(1);
          started.mutable_algorithmic_delay()->set_nanos(0);
        }), "a delay of 1 s");
  check(!isRefused(false, [](auto& started) {
          started.mutable_algorithmic_delay()->set_seconds(-most);
        }), "no negative delay");
  check(isRefused(false, [](auto& started) { started.set_session(std::string(9999, 'a')); }),
        "a name that no start can have");
  check(isRefused(false, [](auto& started) { started.set_resume_token(std::string(9999, 'a')); }),
        "a token that no start can have");
}

void anotherFormatThanTheWantedOneIsRefused() {
  const Settings given = settings();
  const auto isRefused = [&](auto change) {
    Session session(given);
    const auto request = session.start(false, 0, false);
    v1::Started started = answer();
    *started.mutable_outputs() = request.start().outputs();
    change(*started.mutable_outputs()->mutable_processed());
    return !session.started(started, 1600, 0);
  };
  check(!isRefused([](auto&) {}), "the format that the client wants");
  check(isRefused([](auto& format) { format.set_encoding(v1::AUDIO_ENCODING_PCM_S16LE); }),
        "another encoding");
  check(isRefused([](auto& format) { format.set_sample_rate_hz(44100); }), "another rate");
  check(isRefused([](auto& format) { format.set_channel_count(4294967295); }),
        "another number of channels");
}

void samplesThatWereNotSentHaveNoPosition() {
  const Settings given = settings();
  Session session(given);
  session.start(false, 0, false);
  session.started(answer(), 1600, 0);
  session.sent(17600);
  v1::SessionEvent event;
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  for (const int64_t index : {most, -most - 1, int64_t(-1), int64_t(16161)}) {
    event.set_microphone_sample(index);
    check(session.noted(event) == -1, "sample " + std::to_string(index));
  }
  event.set_microphone_sample(16000);
  check(session.noted(event) == 17600, "the next sample");
  session.received(most);
  check(session.start(true, 8000, false).start().resume_point().processed_samples() == 16000,
        "no more output than was sent");
  session.skip(17600 + 320000);
  check(session.captured(16000) == -1, "output from before a jump of the index has no place");
  auto& config = *event.mutable_config_changed()->mutable_config();
  config.mutable_voice_processing()->GetReflection()
      ->MutableUnknownFields(config.mutable_voice_processing())
      ->AddLengthDelimited(1000, std::string(1 << 20, 'a'));
  session.noted(event);
  check(session.start(false, 0, false).start().ByteSizeLong() < 1000,
        "a configuration that no start can have is not kept");
}

void stateOutlivesASession() {
  const Settings given = settings();
  Session session(given);
  check(session.start(false, 0, false).start().session_id().empty(), "the server chooses the id");
  session.started(answer(), 0, 0);
  v1::SessionEvent event;
  event.mutable_config_changed()->mutable_config()->set_preferred_mic_mode(
      v1::MIC_MODE_WIDE_SPECTRUM);
  session.noted(event);
  const auto request = session.start(false, 0, true);
  check(request.start().config().preferred_mic_mode() == v1::MIC_MODE_WIDE_SPECTRUM,
        "the last config_changed");
  check(request.start().session_id() == "first" && request.start().muted(), "the id and mute");
  session.forgetId();
  check(session.start(false, 0, true).start().session_id().empty(), "ALREADY_EXISTS frees the id");
  session.started(answer("sessions/second"), 0, 0);
  session.forgetConfiguration();
  const auto after = session.start(false, 0, false);
  check(after.start().config().preferred_mic_mode() == v1::MIC_MODE_VOICE_ISOLATION,
        "a configuration that a server refuses is forgotten");
  check(after.start().session_id() == "second", "the id is not");
}

void audioOfAStalledCallerIsDropped() {
  const Settings given = settings();
  Session session(given);
  session.start(false, 0, false);
  session.started(answer(), 16000, 0);
  check(session.drop(0, 20800) == 0 && session.next() == 16000, "nothing to drop");
  session.skip(16160);
  check(session.index(16160) == 0, "a session that has got nothing begins later");
  session.start(false, 0, false);
  session.started(answer(), 16000, 0);
  check(session.drop(9600, 20805) == 4800, "no more than waits, in whole frames");
  check(session.next() == 20800 && session.index(20800) == 0, "the session does not count it");
  session.sent(24000);
  check(session.drop(1600, 32000) == 1600 && session.next() == 25600, "the oldest that waits");
  check(session.index(25600) == 3200, "the index goes on without a gap");
  check(session.captured(3200 + 320) == 25600, "output finds its place after the dropped audio");
}

void aStalledCallerOwesWhatItGivesLate() {
  using namespace std::chrono_literals;
  const Debt::Time now{1000s};
  Debt debt({16000, 1, 0});
  debt.began(now, now - 20ms, 16000);
  check(!debt.waits(now + 20ms, 16320) && debt.excess(now + 20ms, 64000) == 0,
        "a caller that gave audio until now owes nothing");
  debt.began(now, now - 1500ms, 16000);
  check(!debt.waits(now + 900ms, 16000), "no audio, no waiting");
  check(debt.waits(now + 900ms, 16160) == now + 950ms, "the first audio waits for its burst");
  check(!debt.waits(now + 950ms, 56000), "the burst has ended");
  check(debt.excess(now + 950ms, 56000) == 24000, "no more than the time of the stall");
  check(debt.excess(now + 960ms, 56000 + 16000) == 0, "a debt is paid once");
  debt.began(now, now - 1500ms, 16000);
  debt.waits(now + 900ms, 16160);
  check(debt.excess(now + 920ms, 16000 + 16320) == 0, "100 ms ahead of real time are allowed");
  debt.gaveUp(4800);
  check(debt.excess(now + 920ms, 56000) == 24000 - 4800, "what was given up counts");
  debt.began(now, now - 1500ms, 16000);
  debt.waits(now + 900ms, 16160);
  debt.waits(now + 2s, 48000);
  check(debt.excess(now + 2s, 64000) == 0, "a microphone that paused brings no burst");
  debt.began(now, std::nullopt, 0);
  check(debt.excess(now, 64000) == 0, "nobody can know what a program captured before its first push");
}

void aConfigurationThatChangedMeanwhileIsKept() {
  const Settings given = settings();
  Session session(given);
  session.start(false, 0, false);
  v1::Started first = answer();
  first.mutable_config()->set_preferred_mic_mode(v1::MIC_MODE_VOICE_ISOLATION);
  session.started(first, 0, 0);
  session.start(true, 0, false);
  v1::Started resumed = first;
  resumed.mutable_resumed();
  resumed.mutable_config()->mutable_voice_processing()->set_bypassed(true);
  session.started(resumed, 0, 0);
  check(session.start(false, 0, false).start().config().voice_processing().bypassed(),
        "the configuration of the resumed session");
}

void decisionsOutliveASession() {
  const Settings given = settings();
  Session session(given);
  check(!session.decision("assistant"), "nothing is decided at first");
  session.decided("assistant", true);
  session.started(answer(), 0, 0);
  check(session.decision("assistant") == true, "the new session has the decision");
  session.decided("assistant", false);
  check(session.decision("assistant") == false, "the last decision counts");
  for (int client = 0; client < 300; ++client) session.decided(std::to_string(client), true);
  check(!session.decision("assistant") && session.decision("299") == true, "the newest are kept");
}

// A configuration with all stages, as servers tell it.
v1::SessionConfig told(v1::MicMode mode, bool suppressesNoise) {
  v1::SessionConfig config;
  config.set_preferred_mic_mode(mode);
  auto& processing = *config.mutable_voice_processing();
  processing.mutable_echo_cancellation()->set_enabled(true);
  processing.mutable_noise_suppression()->set_enabled(suppressesNoise);
  processing.mutable_gain_control()->set_enabled(true);
  processing.set_high_pass_filter(suppressesNoise);
  return config;
}

void stagesThatNobodyHasSetAreLeftOut() {
  v1::SessionConfig chosen;
  chosen.mutable_voice_processing()->mutable_gain_control()->set_enabled(false);
  KeptConfiguration kept(chosen);
  kept.began(told(v1::MIC_MODE_VOICE_ISOLATION, true));
  kept.changed(told(v1::MIC_MODE_WIDE_SPECTRUM, false));
  const auto& next = kept.next().voice_processing();
  check(kept.next().preferred_mic_mode() == v1::MIC_MODE_WIDE_SPECTRUM, "the mic mode is kept");
  check(!next.has_echo_cancellation() && !next.has_noise_suppression() &&
            !next.has_high_pass_filter(),
        "stages follow the mic mode");
  check(next.gain_control().enabled(), "a stage that the program has set is kept as it is now");
}

void aStageThatSomebodyHasChangedIsKept() {
  KeptConfiguration kept{v1::SessionConfig()};
  kept.began(told(v1::MIC_MODE_WIDE_SPECTRUM, false));
  auto changed = told(v1::MIC_MODE_WIDE_SPECTRUM, false);
  changed.mutable_voice_processing()->mutable_noise_suppression()->set_enabled(true);
  changed.mutable_voice_processing()->set_bypassed(true);
  kept.changed(changed);
  const auto& next = kept.next().voice_processing();
  check(next.noise_suppression().enabled(), "it changed without a change of the mic mode");
  check(next.bypassed(), "which is no stage");
  check(!next.has_high_pass_filter() && !next.has_echo_cancellation(), "the others did not");
  kept.changed(told(v1::MIC_MODE_VOICE_ISOLATION, true));
  check(kept.next().voice_processing().has_noise_suppression(), "it stays set");
}

}  // namespace

std::vector<Case> sessionCases() {
  return {
      {"a new session never starts with a debt", aNewSessionHasNoDebt},
      {"output finds its place", outputFindsItsPlace},
      {"a resumed session continues with the oldest audio", aResumedSessionContinues},
      {"a gap of more than 10 s moves the origin", aLongGapMovesTheOrigin},
      {"every loss is counted once", everyLossIsCountedOnce},
      {"a start without sense is refused", aStartWithoutSenseIsRefused},
      {"another format than the wanted one is refused", anotherFormatThanTheWantedOneIsRefused},
      {"samples that were not sent have no position", samplesThatWereNotSentHaveNoPosition},
      {"configuration, mute and id outlive a session", stateOutlivesASession},
      {"audio of a stalled caller is dropped", audioOfAStalledCallerIsDropped},
      {"a stalled caller owes what it gives late", aStalledCallerOwesWhatItGivesLate},
      {"a configuration that changed during a loss is kept",
       aConfigurationThatChangedMeanwhileIsKept},
      {"decisions about injection outlive a session", decisionsOutliveASession},
      {"stages that nobody has set are left out", stagesThatNobodyHasSetAreLeftOut},
      {"a stage that somebody has changed is kept", aStageThatSomebodyHasChangedIsKept},
  };
}
