internal import AudioCore
internal import AudioDevices

/// The devices of the machine, and how they are to be used.
struct EdgeDevices: Sendable {
  let system: any AudioSystem
  var periodCount = 4
  var timing = DeviceLoop.Timing()
  let log: @Sendable (String) -> Void

  /// A loop for one device, which may be another later; nil for none yet.
  func loop(
    _ title: String, _ direction: DeviceDirection, _ rate: SampleRate, _ channelCount: Int,
    _ name: String?
  ) -> DeviceLoop {
    DeviceLoop(
      title, system, direction,
      DeviceWish(rate: rate, channelCount: channelCount, periodCount: periodCount),
      selection: DeviceSelection(name), timing: timing, log: log)
  }
}
