#ifndef BENCHMARK_SUPPORT_ARGUMENTS_H
#define BENCHMARK_SUPPORT_ARGUMENTS_H

#include <map>
#include <string>

namespace bench {

// A command line of "--name value" pairs. A wrong command line ends the process with status 64.
class Arguments {
 public:
  // `defaults` contains every allowed name. An empty value means that there is no default.
  Arguments(int argc, char **argv, std::map<std::string, std::string> defaults);

  const std::string &text(const std::string &name) const { return values_.at(name); }
  // Returns a whole number, which must be at least `least`.
  int number(const std::string &name, int least) const;

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace bench

#endif
