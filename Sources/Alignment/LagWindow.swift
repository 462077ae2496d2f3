/// The lags at which an echo is looked for: a window of 1,024 ms over the difference between the
/// indexes of microphone and reference, which moves in steps of 128 ms where two clocks drift apart.
struct LagWindow {
  /// The length of a step, in seconds and in frames, rounded up.
  static let shift = DelayEstimator.lagShift
  static let frames = 13

  /// A lag nearer to an end of the window than this, in seconds, is about to leave it.
  private static let shortestLag = 0.003
  private static let longestLag = 1.012
  /// A step because of the arrivals must leave a lag that is heard between these, in seconds.
  private static let safeLags = 0.05...1.0
  /// The window follows the arrivals when it is further away, in seconds: more is needed to move it
  /// back, so that it does not sway.
  private static let aheadOfArrival = 0.192
  private static let behindArrival = 0.02
  /// The echo does not take the window further from the arrivals than this, in seconds.
  private static let furthestFromArrival = 1.0
  /// An echo that was not heard for so long, in seconds, says no more where the window belongs.
  private static let memory = 30.0
  /// The reference is off the arrivals when it is further away than this, in seconds.
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

  mutating func noteArrival(_ offset: Double, at time: Double) {
    if moves { arrival.note(offset, at: time) }
  }

  /// Takes in that the echo was heard where it is looked for, while the reference was held back by so
  /// many seconds of the window.
  mutating func noteLag(at time: Double, heldFor held: Double) {
    heard = (time, held - secondsFromArrival)
  }

  mutating func forgetLag() { heard = nil }

  func isHeard(at time: Double) -> Bool {
    heard.map { time - $0.at < Self.memory } ?? false
  }

  /// Returns whether the window should show longer lags or shorter ones, and nil where it is well as
  /// it is.
  ///
  /// - Parameters:
  ///   - lag: The lag of the echo in the window, in seconds, where it is known.
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

  /// Returns the seconds by which the reference should be held back longer, where the echo has not
  /// been heard for a while and the reference has left the place that it had among the arrivals.
  func arrivalError(at time: Double, heldFor held: Double) -> Double? {
    guard let heard, time - heard.at >= Self.memory else { return nil }
    let error = heard.held - (held - secondsFromArrival)
    return abs(error) > Self.leastArrivalError ? error : nil
  }
}
