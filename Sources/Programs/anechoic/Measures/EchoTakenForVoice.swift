internal import AudioCore

/// The finding that a session probably took the echo for a voice of the near end.
///
/// The levels of two people who talk do not follow each other. The level of an echo follows that of
/// the far end, even if little of the echo is left. The finding is therefore a normalised
/// cross-correlation of two envelopes, in dB: of the output where voice was found, and of the sound
/// that was played one delay of the echo before. The delay is that at which the microphone follows
/// the far end best, of 0 to 1 s.
package struct EchoTakenForVoice: Equatable, Sendable {
  /// The longest delay of the echo in frames.
  private static let longestDelay = 100
  /// The frames by which the delay may be wrong.
  private static let tolerance = 2
  /// The levels in dBFS below which the microphone and the output count as silent.
  private static let (microphoneFloor, outputFloor): (Float, Float) = (-70, -55)
  /// The lowest correlation of a microphone that contains the echo.
  private static let leastEcho: Float = 0.25
  /// The lowest correlation of an echo that was taken for a voice. Two voices of 3 s that talk
  /// independently stay below 0.4.
  private static let leastLikeness: Float = 0.5
  /// The least time of found voice in frames, and its least share of the time of the far end.
  private static let leastVoice = 300
  private static let leastShare = 0.2

  /// The time in which the far end plays and nothing is muted.
  package let played: Duration
  /// The part of this time in which voice was found.
  package let voice: Duration

  /// Returns nil if there is no sign of this.
  package init?(_ call: ProcessedCall) {
    let places = call.farEnd.filter { !call.muted[$0.output] }
    let voiced = places.filter { call.voice[$0.output] }
    guard voiced.count >= Self.leastVoice,
      Double(voiced.count) >= Self.leastShare * Double(places.count)
    else { return nil }
    let played = Self.levels(call.played, over: ProcessedCall.quietest)
    let microphone = Self.levels(call.microphone, over: Self.microphoneFloor)
    let output = Self.levels(call.output, over: Self.outputFloor)
    let heard = places.map { ($0.input, $0.input) }
    let found = voiced.map { ($0.output, $0.input) }
    let echo = (0...Self.longestDelay).map { delay in
      (delay: delay, likeness: Self.likeness(microphone, played, by: delay, heard))
    }.max { $0.likeness < $1.likeness }
    guard let echo, echo.likeness >= Self.leastEcho else { return nil }
    let likeness = (echo.delay - Self.tolerance...echo.delay + Self.tolerance).map { delay in
      Self.likeness(output, played, by: delay, found)
    }.max()
    guard let likeness, likeness >= Self.leastLikeness else { return nil }
    self.played = .milliseconds(10 * places.count)
    voice = .milliseconds(10 * voiced.count)
  }

  /// Returns levels in dB above a floor in dBFS.
  private static func levels(_ meanSquares: [Float], over floor: Float) -> [Float] {
    meanSquares.map { max(0, Decibels.level(meanSquare: $0) - floor) }
  }

  /// Returns the correlation of `heard` with `played`, `delay` frames before. `frames` are pairs of
  /// frames of both that belong together without a delay.
  private static func likeness(
    _ heard: [Float], _ played: [Float], by delay: Int, _ frames: [(Int, Int)]
  ) -> Float {
    var (sums, squares, product) = ((0.0, 0.0), (0.0, 0.0), 0.0)
    for (frame, sent) in frames {
      let place = sent - delay
      let (left, right) = (
        Double(heard[frame]), played.indices.contains(place) ? Double(played[place]) : 0
      )
      sums.0 += left
      sums.1 += right
      squares.0 += left * left
      squares.1 += right * right
      product += left * right
    }
    let count = Double(frames.count)
    let variances = (squares.0 - sums.0 * sums.0 / count, squares.1 - sums.1 * sums.1 / count)
    // The levels vary by a decibel at least, or nothing can follow.
    guard variances.0 > count, variances.1 > count else { return 0 }
    return Float((product - sums.0 * sums.1 / count) / (variances.0 * variances.1).squareRoot())
  }
}
