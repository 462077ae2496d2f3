/// An open device, used by one thread. Samples are interleaved floats, nominal range -1...1; counts
/// are samples of each channel.
public protocol PCMDevice: AnyObject {
  var format: DeviceFormat { get }

  /// Makes it ready, after it was opened or after an overrun or underrun; capture then runs.
  func prepare() throws(DeviceFault)

  /// Wakes it from the system's sleep.
  ///
  /// - Returns: Whether it is awake yet.
  func resume() throws(DeviceFault) -> Bool

  /// Waits until samples can be read or written, or for `time`.
  func wait(_ time: Duration) throws(DeviceFault)

  /// Reads what is there, without waiting.
  func read(_ samples: UnsafeMutablePointer<Float>, atMost count: Int) throws(DeviceFault) -> Int

  /// Writes what there is room for, without waiting. Playback starts when it is given enough.
  func write(_ samples: UnsafePointer<Float>, atMost count: Int) throws(DeviceFault) -> Int

  /// Samples between the converter and the program, as far as the device knows.
  var delay: Int { get }
}

/// What an open device says of itself in the place of samples.
public enum DeviceFault: Error, Equatable {
  /// Samples were lost, or came too late.
  case xrun
  /// The system sleeps.
  case suspended
  /// It is of no use any more, in the system's words.
  case lost(String)
}

/// The mixer of a device, used by one thread.
public protocol DeviceControl: AnyObject {
  /// Waits for a change, or for `time`.
  func wait(_ time: Duration) throws(DeviceFault)

  /// Whether the capture switch lets sound through; nil where there is none.
  func captureIsOn() throws(DeviceFault) -> Bool?
}

/// Why a device could not be opened.
public struct DeviceError: Error, Equatable, CustomStringConvertible {
  public enum Reason: Sendable { case absent, busy, denied, unsupported, failed }

  public let reason: Reason
  public let description: String

  public init(_ reason: Reason, _ description: String) {
    self.reason = reason
    self.description = description
  }

  /// Whether trying again may help without anybody's doing.
  public var mayPass: Bool {
    switch reason {
    case .absent, .busy, .failed: true
    case .denied, .unsupported: false
    }
  }
}
