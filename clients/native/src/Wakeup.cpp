#include "Wakeup.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace anechoic {

Wakeup::Wakeup() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

Wakeup::~Wakeup() { close(descriptor_); }

// A failed write means that 2^64 - 2 signals wait already.
void Wakeup::signal() const noexcept { (void)eventfd_write(descriptor_, 1); }

void Wakeup::wait(std::chrono::milliseconds timeout) const noexcept {
  pollfd entry{descriptor_, POLLIN, 0};
  poll(&entry, 1, static_cast<int>(timeout.count()));
  eventfd_t signals;
  (void)eventfd_read(descriptor_, &signals);
}

}  // namespace anechoic
