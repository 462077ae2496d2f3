#include "TokenFile.h"

#include <algorithm>
#include <system_error>

#include "Files.h"

namespace anechoic {

namespace {

constexpr size_t largest = 8 << 10;  // the largest token that a server accepts

}  // namespace

std::string readToken(const std::string& path) {
  std::string text;
  try {
    text = readFile(path, largest);
  } catch (const std::system_error& error) {
    throw TokenError(path + " has no token that can be read: " + readProblem(error));
  }
  if (text.size() > largest) {
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
