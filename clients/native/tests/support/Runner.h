#pragma once

#include <functional>
#include <string>
#include <vector>

// A test, named by the sentence that it checks. Cases share nothing and run at the same time.
struct Case {
  std::string sentence;
  std::function<void()> run;
};

// Runs the cases whose sentences contain a part, and prints a line for each. Returns the exit status.
// A case that fails is tried again, alone, because a busy machine can be the cause.
int runAll(std::vector<Case> cases, const std::string& part = "");
