#pragma once

#include <cstddef>
#include <string>

namespace anechoic {

// Returns the content of a regular file, and at most one byte more than `most`. Never waits, as a
// pipe would have it. Throws std::system_error.
std::string readFile(const std::string& path, size_t most);

}  // namespace anechoic
