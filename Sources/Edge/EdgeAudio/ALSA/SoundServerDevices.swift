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

  /// Forgets the last attempt, so that nobody looks for the device.
  func forget(_ name: String, _ direction: DeviceDirection) {
    devices.withLock { $0[Key(name: name, direction: direction)] = nil }
  }

  /// Returns whether the device is present in all directions in which somebody has tried to open
  /// it, or nil if nobody has. Calls `opens` at most once in an interval for each direction, and
  /// not for capture if `mayCapture` is false. `opens` may block as long as the server takes.
  func isPresent(
    _ name: String, mayCapture: Bool, _ opens: (DeviceDirection, DeviceWish) -> Bool
  ) -> Bool? {
    let interval = mayCapture ? Self.interval : Self.restingInterval
    var result: Bool?
    for direction in [DeviceDirection.playback, .capture] {
      let key = Key(name: name, direction: direction)
      guard let device = devices.withLock({ $0[key] }) else { continue }
      var isPresent = device.isPresent
      if direction == .playback || mayCapture, .now - device.lookedAt > interval {
        isPresent = opens(direction, device.wish)
        record(name, direction, device.wish, isPresent: isPresent)
      }
      result = (result ?? true) && isPresent
    }
    return result
  }
}
