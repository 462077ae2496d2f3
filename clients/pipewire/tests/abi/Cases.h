#pragma once

#include <functional>
#include <string>
#include <vector>

// A test, named by the sentence that it checks. Cases share nothing and run at the same time.
struct Case {
  std::string sentence;
  std::function<void()> run;
};

std::vector<Case> casesWithoutAServer();
std::vector<Case> casesWithAServer(const std::string& sampleFolder);
