#include "Settings.h"

#include <sys/un.h>

#include <algorithm>

namespace anechoic {

namespace {

constexpr size_t longestPath = sizeof(sockaddr_un::sun_path) - 1;

bool canBeHost(const std::string& host) {
  const auto isPrintable = [](unsigned char letter) { return letter > 0x20 && letter < 0x7f; };
  if (host.empty() || !std::ranges::all_of(host, isPrintable)) return false;
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    return host.find_first_of("[]", 1) == host.size() - 1;
  }
  return host.find_first_of(":[]") == std::string::npos;
}

bool canBePort(const std::string& digits) {
  return !digits.empty() && digits.size() <= 5 &&
         digits.find_first_not_of("0123456789") == std::string::npos && std::stoi(digits) > 0 &&
         std::stoi(digits) <= 65535;
}

}  // namespace

// libgrpc is less strict: it assumes port 443 if none is given, and decodes percent signs in paths.
std::string addressProblem(const std::string& server) {
  std::string reason;
  if (server.starts_with("unix:")) {
    const std::string path = server.substr(5);
    if (!path.empty() && path.size() <= longestPath && path.find('%') == std::string::npos)
      return "";
    reason = "the path of a socket has 1 to " + std::to_string(longestPath) + " bytes and no \"%\"";
  } else {
    const size_t colon = server.rfind(':');
    if (colon != std::string::npos && canBeHost(server.substr(0, colon))) {
      if (canBePort(server.substr(colon + 1))) return "";
      reason = "the port must be from 1 to 65535";
    } else {
      reason = canBeHost(server) ? "the port is missing" : "the host cannot be read";
    }
  }
  return "\"" + server + "\" is not an address: " + reason +
         "; use HOST:PORT, [IPv6]:PORT or unix:PATH";
}

bool isOnThisMachine(const std::string& server) {
  for (const char* local : {"unix:", "localhost:", "[::1]:"}) {
    if (server.starts_with(local)) return true;
  }
  // A name may begin with 127, too.
  return server.starts_with("127.") && server.find_first_not_of("0123456789.:") == server.npos;
}

}  // namespace anechoic
