#include "Arguments.h"

#include <cstdio>
#include <cstdlib>

namespace bench {
namespace {

[[noreturn]] void refuse(const std::string &what) {
  std::fprintf(stderr, "error: %s\n", what.c_str());
  std::exit(64);
}

}  // namespace

Arguments::Arguments(int argc, char **argv, std::map<std::string, std::string> defaults)
    : values_(std::move(defaults)) {
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    const auto known = option.rfind("--", 0) == 0 ? values_.find(option.substr(2)) : values_.end();
    if (known == values_.end()) refuse("unknown option " + option);
    if (i + 1 == argc) refuse(option + " needs a value");
    known->second = argv[i + 1];
  }
}

int Arguments::number(const std::string &name, int least) const {
  char *end = nullptr;
  const long value = std::strtol(text(name).c_str(), &end, 10);
  if (text(name).empty() || *end != '\0' || value < least || value > 1'000'000) {
    refuse("--" + name + " takes a whole number from " + std::to_string(least) + " up");
  }
  return static_cast<int>(value);
}

}  // namespace bench
