#pragma once

#include <string>
#include <vector>

namespace anechoic {

// Returns the paths that the control socket of the edge agent may have: the given one, or for an
// empty one those of the agent of this user and of the service. Throws a std::invalid_argument for
// a path that no socket can have.
std::vector<std::string> agentPaths(const std::string& socketPath);
// Returns the address of the agent that is there, or else of the first one.
std::string agentAddress(const std::vector<std::string>& paths);

}  // namespace anechoic
