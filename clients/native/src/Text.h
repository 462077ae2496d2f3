#pragma once

#include <string_view>

namespace anechoic {

// Whether a text is UTF-8, and has at most 1023 bytes, as the text of an event. A server ends a
// call with any other text.
bool isText(std::string_view text);

}  // namespace anechoic
