// Tests the plug-in through its C interface.
//
//   abi-test PLUGIN SERVER SAMPLE
//
// PLUGIN is libspa-aec-anechoic.so, SERVER is anechoic-server, and SAMPLE is the folder of
// make-sample.

#include <cstdio>
#include <mutex>
#include <thread>

#include "Cases.h"
#include "Checks.h"
#include "Host.h"
#include "ServerProcess.h"

int main(int count, char** arguments) {
  if (count != 4) {
    std::fputs("usage: abi-test PLUGIN SERVER SAMPLE\n", stderr);
    return 64;
  }
  Host::path = arguments[1];
  ServerProcess::path = arguments[2];
  std::vector<Case> cases = casesWithoutAServer();
  for (Case& each : casesWithAServer(arguments[3])) cases.push_back(std::move(each));

  std::mutex mutex;
  size_t failures = 0;
  std::vector<std::thread> threads;
  for (const Case& each : cases) {
    threads.emplace_back([&] {
      std::string failure;
      try {
        each.run();
      } catch (const std::exception& error) {
        failure = error.what();
      }
      const std::lock_guard lock(mutex);
      failures += !failure.empty();
      std::printf("%-8s%s\n", failure.empty() ? "ok" : "FAILED", each.sentence.c_str());
      if (!failure.empty()) std::printf("        %s\n", failure.c_str());
      std::fflush(stdout);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return failures == 0 ? 0 : 1;
}
