internal import Synchronization

/// The devices that are not cards, such as those of a sound server. A sound server moves the stream
/// of a lost device to another device without notice, and does not announce new devices. Only
/// opening a device shows whether it is present.
final class SoundServerDevices: Sendable {
  private struct Key: Hashable {
    var name: String
    var direction: DeviceDirection
  }

  private struct Device {
    var wish: DeviceWish
    var isPresent: Bool
    var lookedAt: ContinuousClock.Instant
  }

  /// The interval between checks of a device: while the microphone may be open, and otherwise. Each
  /// check costs this machine and the sound server some milliseconds.
  private static let (interval, restingInterval) = (Duration.seconds(1), Duration.seconds(4))

  private let devices = Mutex<[Key: Device]>([:])

  /// Records the result of an attempt to open a device.
  func record(_ name: String, _ direction: DeviceDirection, _ wish: DeviceWish, isPresent: Bool) {
    devices.withLock {
      $0[Key(name: name, direction: direction)] = Device(
        wish: wish, isPresent: isPresent, lookedAt: .now)
    }
  }

  /// Records the error of an attempt to open a device.
  func record(
    _ name: String, _ direction: DeviceDirection, _ wish: DeviceWish, _ error: DeviceError
  ) {
    if error.reason == .busy {
      // Whoever wants it tries again and again.
      forget(name, direction)
    } else if error.mayPass {
      record(name, direction, wish, isPresent: false)
    }
  }

  /// Forgets the last attempt, so that nobody looks for the device.
  func forget(_ name: String, _ direction: DeviceDirection) {
    devices.withLock { $0[Key(name: name, direction: direction)] = nil }
  }

  /// Returns whether the device is present in all directions in which somebody has tried to open
  /// it, or nil if nobody has. A device that another program uses is present. Calls `open` at most
  /// once in an interval for each direction, and not for capture if `mayCapture` is false. `open` may
  /// block as long as the server takes.
  func isPresent(
    _ name: String, mayCapture: Bool,
    _ open: (DeviceDirection, DeviceWish) throws(DeviceError) -> Void
  ) -> Bool? {
    let interval = mayCapture ? Self.interval : Self.restingInterval
    var result: Bool?
    for direction in [DeviceDirection.playback, .capture] {
      let key = Key(name: name, direction: direction)
      guard let device = devices.withLock({ $0[key] }) else { continue }
      var isPresent = device.isPresent
      if direction == .playback || mayCapture, .now - device.lookedAt > interval {
        do throws(DeviceError) {
          try open(direction, device.wish)
          isPresent = true
        } catch {
          isPresent = error.reason == .busy
        }
        record(name, direction, device.wish, isPresent: isPresent)
      }
      result = (result ?? true) && isPresent
    }
    return result
  }
}
