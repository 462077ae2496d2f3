internal import AudioDevices
internal import Synchronization

/// The devices that are not cards, such as those of a sound server. A sound server moves the stream
/// of a lost device to another device without notice, and does not announce new devices. Only
/// opening a device shows whether it is present.
final class ServerDevices: Sendable {
  private struct Device {
    var direction: DeviceDirection
    var wish: DeviceWish
    var isPresent: Bool
    var lookedAt: ContinuousClock.Instant
  }

  /// The interval between checks of a device.
  private static let interval = Duration.seconds(1)

  private let devices = Mutex<[String: Device]>([:])

  /// Records the result of an attempt to open a device.
  func note(_ name: String, _ direction: DeviceDirection, _ wish: DeviceWish, isPresent: Bool) {
    devices.withLock {
      $0[name] = Device(
        direction: direction, wish: wish, isPresent: isPresent, lookedAt: .now)
    }
  }

  /// Returns whether the device is present, or nil if nobody has tried to open it. Calls `opens` at
  /// most once a second. `opens` may block as long as the server takes.
  func isPresent(
    _ name: String, _ opens: (DeviceDirection, DeviceWish) -> Bool
  ) -> Bool? {
    guard let device = devices.withLock({ $0[name] }) else { return nil }
    guard .now - device.lookedAt > Self.interval else { return device.isPresent }
    let isPresent = opens(device.direction, device.wish)
    note(name, device.direction, device.wish, isPresent: isPresent)
    return isPresent
  }
}
