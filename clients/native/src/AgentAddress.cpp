#include "AgentAddress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace anechoic {

namespace {

// The longest path that the address of a unix socket can have.
constexpr size_t longestPath = 107;

// The same places in the same order as anechoic-edge has them.
std::vector<std::string> defaultPaths() {
  const std::string file = "/anechoic-edge/control.sock";
  std::vector<std::string> paths;
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  // No agent can listen at a path that is too long.
  if (runtime != nullptr && runtime[0] == '/' && (runtime + file).size() <= longestPath) {
    paths.push_back(runtime + file);
  }
  paths.push_back("/tmp/anechoic-edge-" + std::to_string(geteuid()) + "/control.sock");
  paths.push_back("/run" + file);
  return paths;
}

}  // namespace

std::vector<std::string> agentPaths(const std::string& socketPath) {
  if (socketPath.empty()) return defaultPaths();
  if (socketPath.size() > longestPath) {
    throw std::invalid_argument("socket: the path of a socket has at most 107 bytes");
  }
  return {socketPath};
}

std::string agentAddress(const std::vector<std::string>& paths) {
  const auto found = std::find_if(paths.begin(), paths.end(), [](const std::string& path) {
    return access(path.c_str(), F_OK) == 0;
  });
  return "unix:" + (found == paths.end() ? paths.front() : *found);
}

}  // namespace anechoic
