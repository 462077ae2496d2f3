#pragma once

#include <string>

namespace anechoic {

// Return the problem with PEM texts, or "" if they are valid. Without this check, libgrpc would
// only fail to connect.
std::string authoritiesProblem(const std::string& pem);
std::string identityProblem(const std::string& certificateChain, const std::string& key);

}  // namespace anechoic
