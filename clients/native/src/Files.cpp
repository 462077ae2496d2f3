#include "Files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace anechoic {

namespace {

struct Descriptor {
  explicit Descriptor(int number) : number(number) {}
  ~Descriptor() {
    if (number >= 0) close(number);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  const int number;
};

[[noreturn]] void fail(int error, const std::string& path) {
  throw std::system_error(error, std::generic_category(), path);
}

}  // namespace

std::string readFile(const std::string& path, size_t most) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat status;
  if (file.number < 0 || fstat(file.number, &status) != 0) fail(errno, path);
  if (!S_ISREG(status.st_mode)) fail(S_ISDIR(status.st_mode) ? EISDIR : EINVAL, path);
  std::string content;
  char piece[4096];
  while (content.size() <= most) {
    const size_t left = std::min(sizeof piece, most + 1 - content.size());
    const ssize_t count = read(file.number, piece, left);
    if (count == 0) break;
    if (count < 0 && errno != EINTR) fail(errno, path);
    if (count > 0) content.append(piece, size_t(count));
  }
  return content;
}

std::string readProblem(const std::system_error& error) {
  // Pipes and devices are refused: see `readFile`.
  const bool isOfAnotherKind = error.code() == std::errc::invalid_argument;
  return isOfAnotherKind ? "it is not a regular file" : error.code().message();
}

}  // namespace anechoic
