#include <cerrno>
#include <fcntl.h>
#include <mutex>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

/// A descriptor to give up when the process has no other.
class Reserve {
 public:
  Reserve() { open(); }

  /// Takes the next connection of a socket and closes it at once. Returns whether there was a
  /// descriptor for it.
  bool refuse(int socket) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (descriptor_ < 0) open();
    if (descriptor_ < 0) return false;
    ::close(descriptor_);
    descriptor_ = -1;
    int connection = syscall(SYS_accept4, socket, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (connection >= 0) ::close(connection);
    open();
    return connection >= 0;
  }

 private:
  void open() { descriptor_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC); }

  std::mutex mutex_;
  int descriptor_ = -1;
};

Reserve reserve;

}  // namespace

/// Replaces the C library's function for libgrpc 1.51, which stops listening permanently when
/// `accept4` finds no free descriptor. This function closes such a connection, and tells libgrpc
/// that there was none.
extern "C" int accept4(int socket, struct sockaddr* address, socklen_t* length, int flags) {
  for (;;) {
    int connection = syscall(SYS_accept4, socket, address, length, flags);
    if (connection >= 0) return connection;
    bool isExhausted =
        errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
    if (!isExhausted) return -1;
    if (reserve.refuse(socket)) continue;
    errno = EAGAIN;
    return -1;
  }
}
