#include "Cutter.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <vector>

#include "Checks.h"

namespace {

sockaddr_in local(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(uint16_t(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// Closes a connection with a reset.
void reset(int descriptor) {
  const linger now{1, 0};
  setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  close(descriptor);
}

// Forwards what there is. Returns whether the connection goes on.
bool forward(int from, int to) {
  char bytes[16384];
  const ssize_t count = recv(from, bytes, sizeof bytes, MSG_DONTWAIT);
  if (count == 0) return false;
  return count < 0 || send(to, bytes, size_t(count), MSG_NOSIGNAL) == count;
}

}  // namespace

Cutter::Cutter(int port)
    : target_(port), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = local(0);
  socklen_t size = sizeof address;
  check(bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
            listen(listener_, 64) == 0 &&
            getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0,
        "the cutter listens");
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { run(); });
}

Cutter::~Cutter() {
  stopping_ = true;
  thread_.join();
  close(listener_);
}

void Cutter::run() {
  std::vector<pollfd> entries = {{listener_, POLLIN, 0}};  // then pairs
  const auto drop = [&](size_t at) {
    reset(entries[at].fd);
    reset(entries[at + 1].fd);
    entries.erase(entries.begin() + long(at), entries.begin() + long(at) + 2);
  };
  int cuts = 0;
  while (!stopping_) {
    poll(entries.data(), entries.size(), 1);
    if (cuts != cuts_) {
      cuts = cuts_;
      while (entries.size() > 1) drop(entries.size() - 2);
    }
    for (size_t at = 1; at < entries.size();) {
      bool goesOn = true;
      for (const size_t from : {at, at + 1}) {
        if (entries[from].revents == 0) continue;
        const size_t to = from == at ? at + 1 : at;
        goesOn = goesOn && forward(entries[from].fd, entries[to].fd);
      }
      if (goesOn) {
        at += 2;
      } else {
        drop(at);
      }
    }
    if (!(entries[0].revents & POLLIN)) continue;
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = local(target_);
    if (connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      reset(client);
      close(server);
      continue;
    }
    entries.push_back({client, POLLIN, 0});
    entries.push_back({server, POLLIN, 0});
  }
  while (entries.size() > 1) drop(entries.size() - 2);
}
