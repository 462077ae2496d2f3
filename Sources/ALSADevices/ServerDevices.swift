internal import AudioDevices
internal import Synchronization

/// Devices that are no cards, such as what a sound server lends. One that the server loses moves
/// elsewhere without a word, and nothing tells of one that comes: only opening it says whether it is
/// there.
final class ServerDevices: Sendable {
  private struct Device {
    var direction: DeviceDirection
    var wish: DeviceWish
    var isPresent: Bool
    var lookedAt: ContinuousClock.Instant
  }

  /// How often one is looked at.
  private static let interval = Duration.seconds(1)

  private let devices = Mutex<[String: Device]>([:])

  /// It was opened just now, or could not be.
  func note(_ name: String, _ direction: DeviceDirection, _ wish: DeviceWish, isPresent: Bool) {
    devices.withLock {
      $0[name] = Device(
        direction: direction, wish: wish, isPresent: isPresent, lookedAt: .now)
    }
  }

  /// Nil for one that nobody has tried to open. `opens` is asked once a second, and may take as long as
  /// the server does.
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
