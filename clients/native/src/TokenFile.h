#pragma once

#include <stdexcept>
#include <string>

namespace anechoic {

// A file without a usable token. The message names it.
struct TokenError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Returns the token in a file. Every call reads the file, so that another program can replace the
// token. Throws TokenError.
std::string readToken(const std::string& path);

}  // namespace anechoic
