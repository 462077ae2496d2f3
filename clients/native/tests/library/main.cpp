// Tests libanechoic through anechoic.h.
//
//   library-test SERVER SAMPLE [PART]
//
// SERVER is anechoic-server, SAMPLE is the folder of the sample, and PART is a part of the
// sentences of the cases to run. The programs beside this one are run, too.

#include <cstdio>

#include "LibraryCases.h"
#include "ServerProcess.h"

int main(int count, char** arguments) {
  if (count != 3 && count != 4) {
    std::fputs("usage: library-test SERVER SAMPLE [PART]\n", stderr);
    return 64;
  }
  ServerProcess::path = arguments[1];
  ServerProcess::sample = arguments[2];
  std::vector<Case> cases = interfaceCases(arguments[0]);
  for (const auto& more : {clumsyCases(arguments[0]), serverCases(), stateCases(), callCases(),
                           sceneCases(), enrollmentCases()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return runAll(cases, count > 3 ? arguments[3] : "");
}
