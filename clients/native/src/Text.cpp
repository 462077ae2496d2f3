#include "Text.h"

#include <cstdint>

namespace anechoic {

namespace {

constexpr size_t longest = 1023;

// Returns the number of bytes of the letter at the beginning of a text, or 0 if there is no valid
// letter.
size_t letter(std::string_view text) {
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t count = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < count) return 0;
  uint32_t code = first & (0xff >> (count + 1));
  for (size_t at = 1; at < count; ++at) {
    if ((byte(at) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(at) & 0x3f);
  }
  constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return code < least[count] || code > 0x10ffff || isSurrogate ? 0 : count;
}

}  // namespace

bool isText(std::string_view text) {
  if (text.size() > longest) return false;
  while (!text.empty()) {
    const size_t count = letter(text);
    if (count == 0) return false;
    text.remove_prefix(count);
  }
  return true;
}

}  // namespace anechoic
