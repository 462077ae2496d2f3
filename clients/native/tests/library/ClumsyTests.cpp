// Programs that call the library as they should not.

#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <thread>

#include "Checks.h"
#include "Client.h"
#include "LibraryCases.h"
#include "ServerProcess.h"

namespace {

std::string folder;

void sizesThatNobodyHasSetAreRefused() {
  anechoic_options options;
  char message[300];
  for (const size_t size : {size_t(4097), size_t(0xa5a5a5a5a5a5a5a5), size_t(-1)}) {
    anechoic_options_init(&options);
    options.size = size;
    check(anechoic_open(&options, message, sizeof message) == nullptr, "the options are refused");
    check(std::strstr(message, "size: call anechoic_options_init first"), message);
  }
  std::memset(&options, 0xa5, sizeof options);
  check(anechoic_open(&options, message, sizeof message) == nullptr, "memory that nobody has set");
  const anechoic_options before = options;
  anechoic_options_init_size(&options, size_t(-1));
  check(std::memcmp(&before, &options, sizeof options) == 0, "no byte is written");
  Client client([](anechoic_options& each) { each.server = "unix:/nonexistent/server.sock"; });
  anechoic_event event;
  anechoic_losses losses;
  check(!anechoic_next_event_size(client.session(), &event, size_t(-1)), "no event is so large");
  anechoic_read_losses(client.session(), &losses, size_t(-1));
  anechoic_read_losses(client.session(), &losses, 0);
}

// A server ends the call of a client that sends anything but UTF-8.
void textsThatAreNoTextsDoNothing() {
  anechoic_options options;
  anechoic_options_init(&options);
  options.engine = "\xff\xfe";
  char message[300];
  check(anechoic_open(&options, message, sizeof message) == nullptr, "the engine is refused");
  check(std::strstr(message, "engine: "), message);
  ServerProcess server;
  server.start();
  const std::string address = server.address();
  Client client(patient(address));
  client.driveUntilProcessed();
  const std::string endless(100000, 'a');
  for (const char* text : {"\xff", "\xed\xa0\x80", endless.c_str()}) {
    anechoic_decide_gesture(client.session(), text, true);
    anechoic_decide_injection(client.session(), text, true);
  }
  for (int count = 0; count < 500; ++count) {
    anechoic_decide_gesture(client.session(), std::to_string(count).c_str(), true);
    anechoic_decide_injection(client.session(), std::to_string(count).c_str(), true);
  }
  client.drive(silence(2, 16000), {}, 160, true);
  check(client.events(ANECHOIC_EVENT_FALLBACK).empty(), "the session goes on");
  check(server.count("session started") == 1, "it is the same session");
}

// Nobody writes into the pipe, so a program that reads it waits.
void aPipeIsNoTokenFile() {
  ServerProcess server;
  const std::string pipe = server.folder() + "/pipe";
  check(mkfifo(pipe.c_str(), 0600) == 0, "a pipe is made");
  const auto begin = std::chrono::steady_clock::now();
  {
    Client client([&](anechoic_options& options) { options.token_file = pipe.c_str(); });
    client.driveUntil([&] { return !client.events(ANECHOIC_EVENT_FALLBACK).empty(); }, "an event");
    check(std::strstr(client.events(ANECHOIC_EVENT_FALLBACK)[0].text, "token_file: "), "a reason");
  }
  anechoic_options options;
  anechoic_options_init(&options);
  options.ca_file = pipe.c_str();
  check(anechoic_open(&options, nullptr, 0) == nullptr, "it is no certificate either");
  const auto taken = std::chrono::steady_clock::now() - begin;
  check(taken < std::chrono::seconds(20), "nothing waits for it");
}

void sessionsOpenAndCloseBesideEachOther() {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([] {
      for (int count = 0; count < 20; ++count) {
        Client client([](anechoic_options& options) { options.server = "127.0.0.1:1"; });
        anechoic_set_muted(client.session(), count % 2 == 0);
        client.drive(silence(0.05, 48000), {}, 480, count % 3 == 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Other threads than the audio threads call at any time.
void allFunctionsRunBesideEachOther() {
  ServerProcess server;
  server.start();
  const std::string address = server.address();
  Client client(patient(address));
  client.driveUntilProcessed();
  std::atomic<bool> isOver{false};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&] {
      anechoic_event event;
      anechoic_losses losses;
      Samples samples(4800);
      for (int count = 0; !isOver; ++count) {
        anechoic_next_event(client.session(), &event);
        anechoic_copy_event_text(client.session(), event.text, sizeof event.text);
        anechoic_read_losses(client.session(), &losses, sizeof losses);
        anechoic_set_muted(client.session(), count % 2 == 0);
        anechoic_is_muted(client.session());
        anechoic_decide_gesture(client.session(), "press", count % 2 == 0);
        anechoic_push(client.session(), samples.data(), nullptr, 1);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  }
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::seconds(3));
    isOver = true;
  });
  Samples samples(1600);
  while (!isOver) {
    anechoic_push(client.session(), samples.data(), nullptr, 160);
    anechoic_pull(client.session(), samples.data(), samples.size());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  for (std::thread& thread : threads) thread.join();
  stopper.join();
  check(server.count("session started") == 1, "the session goes on");
}

void theLibraryIsUnloadedAndLoadedAgain() {
  ServerProcess server;
  server.start();
  const std::string command =
      folder + "/reloader " + folder + "/libanechoic.so.1 " + server.address();
  check(std::system(command.c_str()) == 0, "reloader ends with 0");
}

}  // namespace

std::vector<Case> clumsyCases(const std::string& program) {
  folder = std::filesystem::path(program).parent_path();
  return {
      {"sizes that nobody has set are refused", sizesThatNobodyHasSetAreRefused},
      {"texts that are no texts do nothing", textsThatAreNoTextsDoNothing},
      {"a pipe is no token file, and nothing waits for it", aPipeIsNoTokenFile},
      {"sessions open and close beside each other", sessionsOpenAndCloseBesideEachOther},
      {"all functions run beside each other", allFunctionsRunBesideEachOther},
      {"the library is unloaded, and loaded again", theLibraryIsUnloadedAndLoadedAgain},
  };
}
