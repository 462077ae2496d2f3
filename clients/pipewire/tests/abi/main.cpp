// Tests the plug-in through its C interface.
//
//   abi-test PLUGIN SERVER SAMPLE [PART]
//
// PLUGIN is libspa-aec-anechoic.so, SERVER is anechoic-server, SAMPLE is the folder of the sample,
// and PART is a part of the sentences of the cases to run.

#include <cstdio>
#include <string>
#include <vector>

#include "Cases.h"
#include "Host.h"
#include "ServerProcess.h"

int main(int count, char** arguments) {
  if (count != 4 && count != 5) {
    std::fputs("usage: abi-test PLUGIN SERVER SAMPLE [PART]\n", stderr);
    return 64;
  }
  Host::path = arguments[1];
  ServerProcess::path = arguments[2];
  ServerProcess::sample = arguments[3];
  std::vector<Case> cases = casesWithoutAServer();
  for (Case& each : casesWithAServer()) cases.push_back(std::move(each));
  return runAll(cases, count > 4 ? arguments[4] : "");
}
