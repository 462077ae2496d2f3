internal import AudioCore
internal import EdgeAudio

extension AudioSystem {
  /// Opens a device, and throws if it is too slow for a call.
  func openFit(
    _ name: String, _ direction: DeviceDirection, _ wish: DeviceWish
  ) throws(DeviceError) -> any PCMDevice {
    let device = try open(name, direction, wish)
    if let problem = device.format.unfitness {
      throw DeviceError(.unsupported, "\(direction.rawValue) device \"\(name)\": \(problem)")
    }
    return device
  }
}

extension DeviceFormat {
  /// The maximum period in ms. With longer periods, frames are too late for `CaptureTimeline`, and
  /// `CaptureStream` treats the device as stalled.
  private static let longestPeriod = 50

  /// The reason why the device is too slow, or nil.
  var unfitness: String? {
    let period = Double(periodSamples) * 1000 / Double(rate.hertz)
    guard period > Double(Self.longestPeriod) else { return nil }
    return "its period is \(Int(period.rounded(.up))) ms; the maximum is \(Self.longestPeriod) ms"
  }
}
