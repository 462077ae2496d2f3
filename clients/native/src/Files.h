#pragma once

#include <cstddef>
#include <string>
#include <system_error>

namespace anechoic {

// Returns the content of a regular file, and at most one byte more than `most`. Never waits: other
// files, such as pipes, are refused. Throws std::system_error.
std::string readFile(const std::string& path, size_t most);

// Returns why a file could not be read.
std::string readProblem(const std::system_error& error);

}  // namespace anechoic
