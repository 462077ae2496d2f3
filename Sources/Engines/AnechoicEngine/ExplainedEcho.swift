/// The echo that the linear canceller explains, with the reverberation that follows it.
///
/// This rule does not depend on the network. If little of a frame is left beside the explained
/// echo, the frame does not count as a voice, and gain control does not raise it above the
/// microphone. A person who talks over a much louder echo is heard between the words of the echo.
struct ExplainedEcho {
  /// The part of its power that reverberation keeps in a frame: 60 dB in 0.8 s.
  private static let kept: Float = 0.84
  /// The parts of the echo, -13 and -20 dB, that must be left in a frame for a voice to begin and to go
  /// on.
  private static let leastToBegin: Float = 0.05
  private static let leastToGoOn: Float = 0.01
  /// The part of the rest, -10 dB, from which on an echo counts as heard.
  private static let leastHeard: Float = 0.1

  private var echo: Float = 0
  private var rest: Float = 0

  /// Takes the mean powers of a frame: of the echo that the canceller subtracted, and of the rest.
  mutating func note(echo: Float, rest: Float) {
    self.echo = max(echo, Self.kept * self.echo)
    self.rest = rest
  }

  /// Whether the frame has an echo that is audible beside the rest.
  var isHeard: Bool { echo > Self.leastHeard * rest }

  /// Whether enough is left of the frame for a voice that begins, or that goes on.
  func leavesVoice(goesOn: Bool) -> Bool {
    rest >= echo * (goesOn ? Self.leastToGoOn : Self.leastToBegin)
  }
}
