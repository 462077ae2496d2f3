#include "TokenFile.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace anechoic {

namespace {

constexpr std::streamsize largest = 8 << 10;  // the largest token that a server accepts

}  // namespace

std::string readToken(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(largest + 1, '\0');
  if (!file || (file.read(text.data(), largest + 1), file.bad())) {
    throw TokenError(path + " has no token that can be read: " + std::strerror(errno));
  }
  text.resize(size_t(file.gcount()));
  if (text.size() > size_t(largest)) {
    throw TokenError(path + " has no token that can be read: it has more than 8192 bytes");
  }
  constexpr const char* spaces = " \t\r\n";
  const size_t first = text.find_first_not_of(spaces), last = text.find_last_not_of(spaces);
  const std::string token = first == text.npos ? "" : text.substr(first, last - first + 1);
  const auto isAllowed = [](unsigned char letter) { return letter > 0x20 && letter < 0x7f; };
  if (token.empty() || !std::ranges::all_of(token, isAllowed)) {
    throw TokenError(path +
                     " has no token that can be read: the file must contain one token, without "
                     "spaces or line breaks inside");
  }
  return token;
}

}  // namespace anechoic
