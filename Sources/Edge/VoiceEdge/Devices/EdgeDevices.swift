internal import AudioCore
internal import EdgeAudio

/// The devices of the machine and their settings.
struct EdgeDevices: Sendable {
  let system: any AudioSystem
  var periodCount = 4
  var timing = DeviceLoop.Timing()
  let log: @Sendable (String) -> Void

  /// Returns a loop for one device. The device can change later; nil for none yet. If `isOpen` is
  /// false, the device stays closed at first. `opened` is called when the device opens and closes.
  func loop(
    _ title: String, _ direction: DeviceDirection, _ rate: SampleRate, _ channelCount: Int,
    _ name: String?, isOpen: Bool = true,
    opened: @escaping @Sendable (_ isOpen: Bool) -> Void = { _ in }
  ) -> DeviceLoop {
    DeviceLoop(
      title, system, direction,
      DeviceWish(rate: rate, channelCount: channelCount, periodCount: periodCount),
      selection: DeviceSelection(name, isOpen: isOpen), timing: timing, opened: opened, log: log)
  }
}
