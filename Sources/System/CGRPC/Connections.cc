#include "Connections.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace {

// The other end of a TCP connection. IPv4 addresses are mapped into IPv6.
struct Endpoint {
  in6_addr address{};
  in_port_t port = 0;  // in network order

  bool operator==(const Endpoint &other) const {
    return port == other.port && std::memcmp(&address, &other.address, sizeof address) == 0;
  }
};

in6_addr mapped(const in_addr &address) {
  in6_addr result{};
  result.s6_addr[10] = result.s6_addr[11] = 0xff;
  std::memcpy(&result.s6_addr[12], &address, sizeof address);
  return result;
}

// Replaces "%5B" by "[" and so on.
std::string decoded(const std::string &text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const char *digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
      result += static_cast<char>(value);
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

// Reads "ipv4:192.0.2.1:5000" and "ipv6:%5B2001:db8::1%5D:5000".
std::optional<Endpoint> endpoint(const std::string &peer) {
  const size_t scheme = peer.find(':');
  const size_t colon = peer.rfind(':');
  if (scheme == std::string::npos || colon <= scheme) return std::nullopt;
  std::string host = decoded(peer.substr(scheme + 1, colon - scheme - 1));
  if (!host.empty() && host.front() == '[') host = host.substr(1, host.find(']') - 1);
  host = host.substr(0, host.find('%'));  // without the zone
  Endpoint result;
  result.port = htons(static_cast<in_port_t>(std::atoi(peer.c_str() + colon + 1)));
  in_addr v4{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) {
    result.address = mapped(v4);
  } else if (inet_pton(AF_INET6, host.c_str(), &result.address) != 1) {
    return std::nullopt;
  }
  return result;
}

std::optional<Endpoint> other_end(int descriptor) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (getpeername(descriptor, reinterpret_cast<sockaddr *>(&storage), &size) != 0) {
    return std::nullopt;
  }
  if (storage.ss_family == AF_INET) {
    const auto *v4 = reinterpret_cast<const sockaddr_in *>(&storage);
    return Endpoint{mapped(v4->sin_addr), v4->sin_port};
  }
  if (storage.ss_family == AF_INET6) {
    const auto *v6 = reinterpret_cast<const sockaddr_in6 *>(&storage);
    return Endpoint{v6->sin6_addr, v6->sin6_port};
  }
  return std::nullopt;
}

// Resets the connection, and drops the data that it has received. libgrpc does not expose its
// descriptors. It reads an error after this call. After a shutdown it would first read the
// remaining data, which may be megabytes.
void reset(int descriptor) {
  sockaddr none{};
  none.sa_family = AF_UNSPEC;
  (void)connect(descriptor, &none, sizeof none);
}

}  // namespace

namespace anechoic {

void reset_connection(const std::string &peer) {
  const std::optional<Endpoint> wanted = endpoint(peer);
  DIR *folder = wanted ? opendir("/proc/self/fd") : nullptr;
  if (folder == nullptr) return;
  while (const dirent *entry = readdir(folder)) {
    const int descriptor = std::atoi(entry->d_name);
    const std::optional<Endpoint> end = other_end(descriptor);
    if (end && *end == *wanted) reset(descriptor);
  }
  closedir(folder);
}

}  // namespace anechoic
