// Tests the core against servers that no one should run: broken and hostile ones, over real sockets.
//
//   wire-test [PART]
//
// PART is a part of the sentences of the cases to run.

#include "WireCases.h"

int main(int count, char** arguments) {
  std::vector<Case> all;
  for (auto cases : {nonsenseCases(), endCases(), burstCases()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return runAll(all, count > 1 ? arguments[1] : "");
}
