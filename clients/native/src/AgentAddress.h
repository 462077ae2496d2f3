#pragma once

#include <string>

namespace anechoic {

// Returns the address of the edge agent with a control socket. An empty path finds the agent of this
// user, or the service. Throws a std::invalid_argument for a path that no socket can have.
std::string agentAddress(std::string socketPath);

}  // namespace anechoic
