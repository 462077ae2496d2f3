// Tests the parts of the core that do no I/O, with a virtual clock.

#include "Units.h"

int main() {
  std::vector<Case> all;
  for (auto cases : {reconnectionCases(), backOffCases(), endingCases(), sessionCases(),
                     controlsCases(), enrollmentCases(), eventCases(), sceneCases(),
                     soundCases()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return runAll(all);
}
