internal import AudioCore
internal import AudioDevices

extension AudioSystem {
  /// Opens a device that can keep the pace of a call.
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
  /// In ms. What comes less often is late by `CaptureTimeline`, and to `CaptureStream` the device hangs.
  private static let longestPeriod = 50

  /// Why such a device is of no use; nil where it is.
  var unfitness: String? {
    let period = Double(periodSamples) * 1000 / Double(rate.hertz)
    guard period > Double(Self.longestPeriod) else { return nil }
    return "its periods are of \(Int(period.rounded(.up))) ms, \(Self.longestPeriod) ms is the most"
  }
}
