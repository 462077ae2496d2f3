/// The range of lags in which the echo is searched: 1,024 ms of the difference between the indexes
/// of microphone and reference. The window moves in steps of 128 ms if two clocks drift apart.
struct LagWindow {
  /// The length of a step, in seconds and in frames, rounded up.
  static let shift = DelayEstimator.lagShift
  static let frames = 13

  /// A lag outside of these, in seconds, is about to leave the window.
  private static let shortestLag = 0.003
  private static let longestLag = 1.012
  /// After a step because of the arrivals, an echo that is heard must lie in this range, in
  /// seconds.
  private static let safeLags = 0.05...1.0
  /// The distances from the arrivals, in seconds, from which the window follows them. They differ,
  /// so that the window does not move back and forth.
  private static let aheadOfArrival = 0.192
  private static let behindArrival = 0.02
  /// The largest distance from the arrivals to which the echo moves the window, in seconds.
  private static let furthestFromArrival = 1.0
  /// The seconds without echo after which the last lag no longer holds the window.
  private static let memory = 30.0
  /// The distance of the reference from the arrivals, in seconds, from which it is moved back.
  private static let leastArrivalError = 0.03

  /// Whether the window may move at all.
  let moves: Bool
  /// The seconds by which a lag in the window is longer than by the samples' indexes.
  private(set) var seconds = 0.0
  private var steps = 0
  private var arrival = ArrivalOffset()
  private var heard: (at: Double, held: Double)?

  init(moves: Bool) { self.moves = moves }

  /// The seconds by which the reference runs ahead of the microphone since the call began.
  var arrivalSeconds: Double { arrival.seconds }

  /// The seconds by which a lag in the window is longer than by the arrivals.
  var secondsFromArrival: Double { seconds - arrival.seconds }

  mutating func recordArrival(_ offset: Double, at time: Double) {
    if moves { arrival.record(offset, at: time) }
  }

  mutating func forgetArrivals() { arrival.restart() }

  /// Records that the echo was heard at the known lag, while the reference was held back by the
  /// given seconds, counted in the window.
  mutating func recordLag(at time: Double, heldFor held: Double) {
    heard = (time, held - secondsFromArrival)
  }

  mutating func forgetLag() { heard = nil }

  func isHeard(at time: Double) -> Bool {
    heard.map { time - $0.at < Self.memory } ?? false
  }

  /// Returns true if the window should move to longer lags, false if to shorter ones, and nil if it
  /// should stay.
  ///
  /// - Parameters:
  ///   - lag: The lag of the echo in the window, in seconds, if it is known.
  ///   - needsRoom: Whether the reference must be held back by less than the window allows.
  func wantedShift(lag: Double?, needsRoom: Bool) -> Bool? {
    if let lag {
      if lag < Self.shortestLag || needsRoom, secondsFromArrival < Self.furthestFromArrival {
        return true
      }
      if lag > Self.longestLag, secondsFromArrival > -Self.furthestFromArrival { return false }
    }
    if secondsFromArrival < -Self.behindArrival {
      return lag.map { Self.safeLags.contains($0 + Self.shift) } ?? true ? true : nil
    }
    if secondsFromArrival > Self.aheadOfArrival {
      return lag.map { Self.safeLags.contains($0 - Self.shift) } ?? true ? false : nil
    }
    return nil
  }

  mutating func shift(isLonger: Bool) {
    steps += isLonger ? 1 : -1
    seconds = Double(steps) * Self.shift
  }

  /// Returns the seconds by which the reference should be held back longer, or nil. There is such
  /// an error if the echo has not been heard for a while and the reference has moved against the
  /// arrivals.
  func arrivalError(at time: Double, heldFor held: Double) -> Double? {
    guard let heard, time - heard.at >= Self.memory else { return nil }
    let error = heard.held - (held - secondsFromArrival)
    return abs(error) > Self.leastArrivalError ? error : nil
  }
}
