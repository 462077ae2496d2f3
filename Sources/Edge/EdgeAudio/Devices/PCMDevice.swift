/// An open device. Use it from one thread. Samples are interleaved floats with the nominal range
/// -1...1. Counts are in samples of each channel.
public protocol PCMDevice: AnyObject {
  var format: DeviceFormat { get }

  /// Prepares the device after it was opened and after an overrun or underrun. A capture device
  /// then runs.
  func prepare() throws(DeviceIOError)

  /// Asks a suspended device to resume.
  ///
  /// - Returns: Whether the device has resumed.
  func resume() throws(DeviceIOError) -> Bool

  /// Waits until samples can be read or written, at most for `time`.
  func wait(_ time: Duration) throws(DeviceIOError)

  /// Reads the samples that are available, without waiting. Returns their number.
  func read(_ samples: UnsafeMutablePointer<Float>, atMost count: Int) throws(DeviceIOError) -> Int

  /// Writes as many samples as there is room for, without waiting. Returns their number. Playback
  /// starts when the buffer is nearly full.
  func write(_ samples: UnsafePointer<Float>, atMost count: Int) throws(DeviceIOError) -> Int

  /// The number of samples between the converter and the program, as reported by the device.
  var delay: Int { get }
}

/// A fault of an open device.
public enum DeviceIOError: Error, Equatable {
  /// Samples were lost in an overrun or underrun.
  case xrun
  /// The system has suspended the device.
  case suspended
  /// The device cannot be used any more. The value is the system's message.
  case lost(String)
}

/// The control of a device: its mixer and its jacks. Use it from one thread.
public protocol DeviceControl: AnyObject {
  /// Waits for a change or for the signal, at most for `time`.
  func wait(_ time: Duration, _ wake: WakeSignal) throws(DeviceIOError)

  /// Returns whether the capture switch is on, or nil if the mixer has no capture switch.
  func captureIsOn() throws(DeviceIOError) -> Bool?

  /// Returns whether something is plugged into a jack, or nil if there is no such jack.
  func isPlugged(_ jack: JackName) throws(DeviceIOError) -> Bool?

  /// Returns the names of the jacks.
  func jacks() throws(DeviceIOError) -> [JackName]
}

/// The reason why a device could not be opened.
public struct DeviceError: Error, Equatable, CustomStringConvertible {
  public enum Reason: Sendable {
    case absent, busy, denied, unsupported, failed
    /// The device is there, but offers no format that the agent can use.
    case unfit
    /// The system does not know the name.
    case unknown
  }

  public let reason: Reason
  public let description: String

  public init(_ reason: Reason, _ description: String) {
    self.reason = reason
    self.description = description
  }

  /// Whether the error may disappear without a change of the configuration.
  public var mayPass: Bool {
    switch reason {
    case .absent, .busy, .failed: true
    case .denied, .unsupported, .unfit, .unknown: false
    }
  }
}
