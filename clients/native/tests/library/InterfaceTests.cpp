// The library while nobody listens, and its structures.

#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "Checks.h"
#include "Client.h"
#include "LibraryCases.h"
#include "ServerProcess.h"

namespace {

std::string folder;

void nobody(anechoic_options& options) { options.server = "unix:/nonexistent/server.sock"; }

void microphoneIsDelayedExactly() {
  for (const uint32_t rate : {8000u, 16000u, 24000u, 32000u, 44100u, 48000u}) {
    for (const uint32_t channels : {1u, 2u}) {
      Client client([&](anechoic_options& options) {
        nobody(options);
        options.sample_rate_hz = rate;
        options.microphone_channels = options.reference_channels = channels;
      });
      const Samples microphone = noise(1, rate * channels);
      const Samples heard = client.drive(microphone, microphone, 333, false);
      check(heard == delayed(microphone, int64_t(rate * channels) * 120 / 1000),
            std::to_string(rate) + " Hz: the microphone is heard unchanged 120 ms later");
    }
  }
}

void integersAreExact() {
  Client client(nobody);
  std::vector<int16_t> codes(65536), output(codes.size());
  for (size_t index = 0; index < codes.size(); ++index) codes[index] = int16_t(index - 32768);
  anechoic_push_int16(client.session(), codes.data(), nullptr, codes.size());
  check(anechoic_pull_int16(client.session(), output.data(), output.size()) == codes.size(),
        "as many as were pushed");
  check(std::equal(output.begin() + 5760, output.end(), codes.begin()), "every code is kept");
}

void silenceCanBeChosen() {
  for (const bool muted : {false, true}) {
    Client client([&](anechoic_options& options) {
      nobody(options);
      options.muted = muted;
      if (!muted) options.fallback = ANECHOIC_FALLBACK_SILENCE;
    });
    check(client.drive(noise(1, 48000), {}, 480, false) == silence(1, 48000), "silence");
    check(anechoic_is_muted(client.session()) == muted, "the mute state");
  }
}

void muteIsImmediateWithoutAServer() {
  Client client(nobody);
  const Samples microphone = noise(1, 48000);
  client.drive(microphone, {}, 480, false);
  anechoic_set_muted(client.session(), true);
  check(client.drive(microphone, {}, 480, false) == silence(1, 48000), "silence at once");
  anechoic_set_muted(client.session(), false);
  check(client.drive(microphone, {}, 480, false)[30000] != 0, "the microphone again");
}

// Returns the message about options that are not valid.
template <typename Set>
std::string refusal(const Set& set) {
  anechoic_options options;
  anechoic_options_init(&options);
  set(options);
  char message[300] = "";
  anechoic_session* const session = anechoic_open(&options, message, sizeof message);
  check(session == nullptr, "the options are refused");
  return message;
}

void expect(const std::string& text, const std::string& part) {
  check(text.find(part) != std::string::npos, "\"" + text + "\" says: " + part);
}

void invalidOptionsAreNamed() {
  using Options = anechoic_options;
  expect(refusal([](Options& o) { o.sample_rate_hz = 22050; }),
         "sample_rate_hz: 22050 is not supported; use 8000");
  expect(refusal([](Options& o) { o.opus = true, o.sample_rate_hz = 44100; }),
         "sample_rate_hz: 44100 is not supported with Opus; use 8000");
  expect(refusal([](Options& o) { o.microphone_channels = 3; }),
         "microphone_channels: 3 is not supported; use 1 or 2");
  expect(refusal([](Options& o) { o.reference_channels = 3; }),
         "reference_channels: 3 is not supported; use 0, 1 or 2");
  expect(refusal([](Options& o) { o.server = "nowhere"; }),
         "server: \"nowhere\" is not an address");
  expect(refusal([](Options& o) { o.ca_file = "absent.pem"; }),
         "ca_file: absent.pem cannot be read: No such file or directory; use a PEM file");
  expect(refusal([](Options& o) { o.ca_file = "/dev/zero"; }),
         "ca_file: /dev/zero cannot be read: it is not a regular file");
  expect(refusal([](Options& o) { o.certificate_file = "/", o.key_file = "absent.pem"; }),
         "certificate_file: / cannot be read: Is a directory");
  expect(refusal([](Options& o) { o.certificate_file = "/etc/passwd", o.key_file = "absent.pem"; }),
         "key_file: absent.pem cannot be read");
  expect(refusal([](Options& o) { o.ca_file = ""; }), "ca_file: the path is empty; use a PEM file");
  expect(refusal([](Options& o) { o.certificate_file = "", o.key_file = "key.pem"; }),
         "certificate_file: the path is empty");
  const auto leaveTokenEmpty = [](Options& o) {
    nobody(o);
    o.token_file = "";
  };
  check(Client(leaveTokenEmpty).session() != nullptr, "an empty path of a token is left out");
  expect(refusal([](Options& o) { o.ca_file = "/etc/hostname"; }),
         "ca_file: no certificate in PEM");
  expect(refusal([](Options& o) { o.key_file = "key.pem"; }), "must be given together");
  expect(refusal([](Options& o) { o.delay_ms = 20; }),
         "delay_ms: 20 is not allowed; use 50 to 1000");
  // As a C program may.
  const unsigned nine = 9;
  expect(refusal([&](Options& o) { std::memcpy(&o.mic_mode, &nine, sizeof nine); }),
         "mic_mode: 9 is unknown; use ANECHOIC_STANDARD (0)");
  const int negative = -1;
  expect(refusal([&](Options& o) { std::memcpy(&o.mic_mode, &negative, sizeof negative); }),
         "mic_mode: -1 is unknown");
  expect(refusal([&](Options& o) { std::memcpy(&o.fallback, &nine, sizeof nine); }),
         "fallback: 9 is unknown; use ANECHOIC_FALLBACK_MICROPHONE (0)");
  expect(refusal([](Options& o) { o.client_name = "\xc3\xa4"; }), "client_name");
  expect(refusal([](Options& o) { o.client_name = ""; }), "client_name: it has 0 bytes; use 1 to");
  const std::string name(101, 'a');
  expect(refusal([&](Options& o) { o.client_name = name.c_str(); }),
         "client_name: it has 101 bytes; use 1 to 100");
  check(Client([&](Options& o) { o.client_name = name.c_str() + 1; }).session() != nullptr,
        "100 bytes are allowed");
  expect(refusal([](Options& o) { o.server_name = "example"; }), "server_name: it needs TLS");
  expect(refusal([](Options& o) { o.tls = true, o.server_name = "\xff"; }),
         "server_name: it is not UTF-8");
  expect(refusal([](Options& o) { o.size = 0; }), "size: call anechoic_options_init first");
  anechoic_options options{};
  char message[8];
  check(anechoic_open(&options, message, sizeof message) == nullptr, "no size");
  check(std::string(message) == "size: c", "a message is cut");
  check(anechoic_open(nullptr, nullptr, 0) == nullptr, "no options");
}

void absentArgumentsDoNothing() {
  anechoic_options_init(nullptr);
  Client client(nobody);
  anechoic_session* const session = client.session();
  Samples samples(480);
  int16_t codes[480] = {};
  anechoic_push(session, nullptr, samples.data(), 480);
  anechoic_push(session, samples.data(), samples.data(), size_t(-1));
  anechoic_push(nullptr, samples.data(), nullptr, 480);
  anechoic_push_int16(session, nullptr, nullptr, 480);
  check(anechoic_pull(session, samples.data(), 480) == 0, "nothing was pushed");
  anechoic_push(session, samples.data(), nullptr, 480);
  check(anechoic_pull(session, nullptr, 480) == 0, "there is no array");
  check(anechoic_pull(session, samples.data(), size_t(-1)) == 0, "no array is so long");
  check(anechoic_pull_int16(nullptr, codes, 480) == 0, "there is no session");
  check(anechoic_pull(session, samples.data(), 480) == 480, "480 were pushed");
  check(!anechoic_next_event(session, nullptr) && !anechoic_next_event(nullptr, nullptr),
        "no event");
  check(anechoic_copy_event_text(session, nullptr, 0) == 0 &&
            anechoic_copy_event_text(nullptr, nullptr, 0) == 0,
        "no text");
  check(!anechoic_is_processing(nullptr) && !anechoic_is_muted(nullptr), "no session");
  anechoic_set_muted(nullptr, true);
  anechoic_decide_gesture(session, nullptr, true);
  anechoic_decide_injection(session, nullptr, true);
  anechoic_decide_gesture(nullptr, "id", true);
  anechoic_read_losses(session, nullptr, 8);
  anechoic_close(nullptr);
}

void theWholeTextOfAnEventIsCopied() {
  Client client(nobody);
  anechoic_event event;
  waitFor([&] { return anechoic_next_event(client.session(), &event); }, "an event");
  const std::string text = event.text;
  const size_t size = anechoic_copy_event_text(client.session(), nullptr, 0);
  check(size == text.size() + 1 && size > 1, "the size of the text with its end");
  std::vector<char> buffer(size, 'x');
  check(anechoic_copy_event_text(client.session(), buffer.data(), size - 1) == size &&
            buffer == std::vector<char>(size, 'x'),
        "a text without room is left out");
  check(anechoic_copy_event_text(client.session(), buffer.data(), size) == size &&
            buffer.data() == text,
        "the text");
}

void anAbsentServerIsReportedOnce() {
  Client client(nobody);
  client.driveUntil([&] { return !client.events(ANECHOIC_EVENT_FALLBACK).empty(); }, "an event");
  client.drive(silence(1.5, 48000), {}, 480, true);
  const auto events = client.events(ANECHOIC_EVENT_FALLBACK);
  check(events.size() == 1 && std::string(events[0].text).starts_with("UNAVAILABLE"), "one event");
  anechoic_losses losses;
  anechoic_read_losses(client.session(), &losses, sizeof losses);
  check(losses.unsent == 0, "the last 2 s may still be sent");
  client.drive(silence(1.5, 48000), {}, 480, false);
  client.drive(silence(0.1, 48000), {}, 480, true);
  waitFor(
      [&] {
        anechoic_read_losses(client.session(), &losses, sizeof losses);
        return losses.unsent > 0;
      },
      "older samples are counted");
  check(losses.unpulled == 0 && losses.late == 0 && losses.overlapping == 0,
        "nothing else is lost");
}

// ThreadSanitizer watches.
void twoThreadsPushAndPull() {
  Client client(nobody);
  std::thread pusher([&] {
    const Samples block(480, 0.25f);
    for (int count = 0; count < 2000; ++count) {
      anechoic_push(client.session(), block.data(), nullptr, block.size());
      if (count % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  Samples output(480);
  size_t pulled = 0;
  anechoic_losses losses{};
  while (pulled + losses.unpulled < 2000 * 480) {
    pulled += anechoic_pull(client.session(), output.data(), output.size());
    anechoic_read_losses(client.session(), &losses, sizeof losses);
    anechoic_set_muted(client.session(), pulled % 2 == 0);
  }
  pusher.join();
}

void overlappingCallsDoNoHarm() {
  Client client(nobody);
  constexpr size_t blocks = 3000, block = 480;
  const auto push = [&] {
    const Samples samples(block, 0.25f);
    for (size_t count = 0; count < blocks; ++count) {
      anechoic_push(client.session(), samples.data(), nullptr, block);
    }
  };
  std::atomic<size_t> pulled{0};
  const auto pull = [&] {
    Samples samples(block);
    for (size_t count = 0; count < blocks; ++count) {
      pulled += anechoic_pull(client.session(), samples.data(), block);
    }
  };
  std::thread threads[] = {std::thread(push), std::thread(push), std::thread(pull),
                           std::thread(pull)};
  for (std::thread& thread : threads) thread.join();
  Samples rest(blocks * block);
  pulled += anechoic_pull(client.session(), rest.data(), rest.size());
  anechoic_losses losses;
  anechoic_read_losses(client.session(), &losses, sizeof losses);
  check(pulled + losses.unpulled + losses.overlapping == 2 * blocks * block,
        "every sample was pulled, or is counted");
}

// A program of a later version, whose options have a field more.
void laterOptionsAreAcceptedIfTheyAreZero() {
  struct Later {
    anechoic_options known;
    uint64_t unknown;
  } later;
  std::memset(&later, 0xff, sizeof later);
  anechoic_options_init_size(&later.known, sizeof later);
  check(later.unknown == 0 && later.known.size == sizeof later, "all of it is filled in");
  nobody(later.known);
  anechoic_session* const session = anechoic_open(&later.known, nullptr, 0);
  check(session != nullptr, "an option that is zero is accepted");
  anechoic_close(session);
  later.unknown = uint64_t(1) << 40;
  char message[300];
  check(anechoic_open(&later.known, message, sizeof message) == nullptr, "another one is refused");
  expect(message, "size: " + std::to_string(sizeof later) + " is larger than the ");
  expect(message, "the option at byte " + std::to_string(sizeof(anechoic_options) + 5) + " is set");
}

// A program of version 0.1, whose memory after its options is in use.
void firstOptionsAreAccepted() {
  anechoic_options options;
  std::memset(&options, 0xa5, sizeof options);
  (anechoic_options_init)(&options);
  check(options.size == offsetof(anechoic_options, server_name), "the size of version 0.1");
  unsigned char rest[sizeof options - offsetof(anechoic_options, server_name)];
  std::memcpy(rest, &options.server_name, sizeof rest);
  for (const unsigned char byte : rest) check(byte == 0xa5, "no byte after that is written");
  nobody(options);
  anechoic_session* const session = anechoic_open(&options, nullptr, 0);
  check(session != nullptr, "fields that it does not know have their defaults");
  anechoic_close(session);
}

void eventsAndLossesFitTheirCaller() {
  Client client(nobody);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  unsigned char bytes[sizeof(anechoic_event) + 16];
  std::memset(bytes, 0xa5, sizeof bytes);
  bool found = false;
  waitFor(
      [&] {
        return found = anechoic_next_event_size(client.session(),
                                                reinterpret_cast<anechoic_event*>(bytes),
                                                sizeof(anechoic_event) + 8);
      },
      "an event");
  check(bytes[sizeof(anechoic_event)] == 0, "a field of a later version is 0");
  check(bytes[sizeof(anechoic_event) + 8] == 0xa5, "no byte after that is written");
  uint64_t losses[3] = {7, 7, 7};
  anechoic_read_losses(client.session(), reinterpret_cast<anechoic_losses*>(losses), 16);
  check(losses[2] == 7, "no byte after the size is written");
}

void aProgramOfTheFirstVersionRuns() {
  ServerProcess server;
  server.start();
  const std::string command = folder + "/first-caller " + server.address();
  check(std::system(command.c_str()) == 0, "first-caller ends with 0");
}

}  // namespace

std::vector<Case> interfaceCases(const std::string& program) {
  folder = std::filesystem::path(program).parent_path();
  return {
      {"the microphone is heard after a constant delay", microphoneIsDelayedExactly},
      {"16-bit samples are exact", integersAreExact},
      {"silence can be chosen, and a muted microphone is silent", silenceCanBeChosen},
      {"mute is immediate without a server", muteIsImmediateWithoutAServer},
      {"invalid options are named", invalidOptionsAreNamed},
      {"absent arguments and impossible counts do nothing", absentArgumentsDoNothing},
      {"the whole text of an event is copied", theWholeTextOfAnEventIsCopied},
      {"an absent server is reported once", anAbsentServerIsReportedOnce},
      {"one thread pushes and another one pulls", twoThreadsPushAndPull},
      {"calls that overlap do no harm", overlappingCallsDoNoHarm},
      {"options of a later version are accepted if they are zero",
       laterOptionsAreAcceptedIfTheyAreZero},
      {"options of the first version are accepted, and not exceeded", firstOptionsAreAccepted},
      {"events and losses fit their caller", eventsAndLossesFitTheirCaller},
      {"a program of the first version runs", aProgramOfTheFirstVersionRuns},
  };
}
