internal import AudioDevices
internal import CALSA
internal import Synchronization

/// Devices that a sound server lends, such as PulseAudio's. One that the server loses moves elsewhere
/// without a word: only opening it a second time tells whether it is still there.
final class ServerDevices: Sendable {
  private struct Device {
    var direction: DeviceDirection
    var isPresent = true
    var lookedAt: ContinuousClock.Instant
  }

  /// How often one is looked at.
  private static let interval = Duration.seconds(1)

  private let devices = Mutex<[String: Device]>([:])

  /// It was opened just now.
  func note(_ name: String, _ direction: DeviceDirection) {
    devices.withLock { $0[name] = Device(direction: direction, lookedAt: .now) }
  }

  /// Nil for one that has never been opened. May take as long as the server does.
  func isPresent(_ name: String) -> Bool? {
    guard let device = devices.withLock({ $0[name] }) else { return nil }
    guard .now - device.lookedAt > Self.interval else { return device.isPresent }
    let isPresent = ALSASystem.exclusively { Self.opens(name, device.direction) }
    devices.withLock {
      $0[name]?.isPresent = isPresent
      $0[name]?.lookedAt = .now
    }
    return isPresent
  }

  private static func opens(_ name: String, _ direction: DeviceDirection) -> Bool {
    var opened: OpaquePointer?
    guard
      snd_pcm_open(
        &opened, name,
        direction == .capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK,
        Int32(SND_PCM_NONBLOCK)) >= 0, let opened
    else { return false }
    defer { snd_pcm_close(opened) }
    // The stream is made at the server when the parameters stand.
    return snd_pcm_set_params(
      opened, SND_PCM_FORMAT_S16_LE, SND_PCM_ACCESS_RW_INTERLEAVED, 1, 48000, 1, 100_000) >= 0
  }
}
