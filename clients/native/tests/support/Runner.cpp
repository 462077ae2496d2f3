#include "Runner.h"

#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>

namespace {

// How often a case is tried that fails.
constexpr int attempts = 3;

// Runs a case, and prints its result. Returns whether it succeeded.
bool runs(const Case& each) {
  static std::mutex mutex;
  std::string failure;
  try {
    each.run();
  } catch (const std::exception& error) {
    failure = error.what();
  }
  const std::lock_guard lock(mutex);
  std::printf("%-8s%s\n", failure.empty() ? "ok" : "FAILED", each.sentence.c_str());
  if (!failure.empty()) std::printf("        %s\n", failure.c_str());
  std::fflush(stdout);
  return failure.empty();
}

// Runs a case that has failed beside others again, alone.
bool runsAlone(const Case& each) {
  for (int attempt = 2; attempt <= attempts; ++attempt) {
    std::puts("again, because a busy machine can be the cause");
    if (runs(each)) return true;
  }
  return false;
}

}  // namespace

int runAll(std::vector<Case> cases, const std::string& part) {
  std::erase_if(cases, [&](const Case& each) { return each.sentence.find(part) == part.npos; });
  std::mutex mutex;
  std::vector<const Case*> failed;
  std::vector<std::thread> threads;
  for (const Case& each : cases) {
    threads.emplace_back([&] {
      if (runs(each)) return;
      const std::lock_guard lock(mutex);
      failed.push_back(&each);
    });
  }
  for (std::thread& thread : threads) thread.join();
  bool succeeded = true;
  for (const Case* each : failed) succeeded = runsAlone(*each) && succeeded;
  return succeeded ? 0 : 1;
}
