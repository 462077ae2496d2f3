public import SwiftProtobuf

extension Google_Protobuf_Duration {
  public init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self.init(seconds: seconds, nanos: Int32(attoseconds / 1_000_000_000))
  }
}

extension Google_Protobuf_Duration {
  /// Returns the interval between statistics, or nil for 0, which requests none.
  public func asStatisticsInterval(path: String) throws(InvalidFieldError) -> Duration? {
    guard self != .init() else { return nil }
    let interval = try Duration(self, path: path)
    guard interval >= .milliseconds(100), interval <= .seconds(3600) else {
      throw InvalidFieldError(path, "must be 0, or 100 ms to 1 h")
    }
    return interval
  }
}

extension Duration {
  /// Converts a message. Throws if the message is malformed.
  public init(_ duration: Google_Protobuf_Duration, path: String) throws(InvalidFieldError) {
    let (seconds, nanos) = (duration.seconds, duration.nanos)
    guard (-315_576_000_000...315_576_000_000).contains(seconds), nanos.magnitude < 1_000_000_000,
      seconds == 0 || nanos == 0 || (seconds < 0) == (nanos < 0)
    else { throw InvalidFieldError(path, "is not a valid duration") }
    self = .seconds(seconds) + .nanoseconds(Int64(nanos))
  }

  /// Converts a message. Throws unless the duration is above 0 and at most `longest`.
  public init(
    _ duration: Google_Protobuf_Duration, upTo longest: Duration, path: String
  ) throws(InvalidFieldError) {
    self = try Duration(duration, path: path)
    guard self > .zero, self <= longest else {
      throw InvalidFieldError(path, "must be above 0 and at most \(longest)")
    }
  }
}
