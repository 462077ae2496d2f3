#ifndef BENCHMARK_SUPPORT_ARGUMENTS_H
#define BENCHMARK_SUPPORT_ARGUMENTS_H

#include <map>
#include <string>

namespace bench {

// A command line of "--name value" pairs. What is wrong with it ends the process with status 64.
class Arguments {
 public:
  // `defaults` has every name there is; an empty value stands for none.
  Arguments(int argc, char **argv, std::map<std::string, std::string> defaults);

  const std::string &text(const std::string &name) const { return values_.at(name); }
  // A whole number of at least `least`.
  int number(const std::string &name, int least) const;

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace bench

#endif
