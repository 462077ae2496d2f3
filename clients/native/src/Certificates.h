#pragma once

#include <string>

namespace anechoic {

// Return what is wrong with PEM texts, or "". libgrpc would only fail to connect.
std::string authoritiesProblem(const std::string& pem);
std::string identityProblem(const std::string& certificateChain, const std::string& key);

}  // namespace anechoic
