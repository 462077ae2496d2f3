internal import CALSA
internal import Glibc

/// A signal that ends the wait of another thread for a device.
public final class WakeSignal: Sendable {
  /// A descriptor that can be read while the signal is set.
  let descriptor: Int32

  /// Creates a signal that is not set. Throws if too many files are open.
  public init() throws(DeviceIOError) {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else { throw DeviceIOError(code: -errno) }
  }

  deinit { close(descriptor) }

  /// Sets the signal. Returns at once.
  public func set() { eventfd_write(descriptor, 1) }

  /// Whether the signal was set. The signal is then no longer set.
  public func take() -> Bool {
    var count: eventfd_t = 0
    return eventfd_read(descriptor, &count) == 0
  }
}
