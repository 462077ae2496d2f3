/// The way of a gain in dB to its target: 100 ms down and 1 s up, as the session lowers its own other
/// audio. No gain (nil) is 0 dB, at whose end the streams are restored.
struct GainRamp: Sendable, Equatable {
  /// The time of a step.
  static let step = Duration.milliseconds(20)
  private static let stepsDown: Float = 5
  private static let stepsUp: Float = 50

  private(set) var gain: Float?
  private(set) var target: Float?
  private var size: Float = 0

  var isMoving: Bool { gain != target }

  /// Starts the way to a target.
  mutating func start(to target: Float?) {
    guard target != self.target else { return }
    self.target = target
    let distance = (target ?? 0) - (gain ?? 0)
    size = distance / (distance < 0 ? Self.stepsDown : Self.stepsUp)
  }

  /// Takes one step.
  mutating func advance() {
    guard isMoving else { return }
    let end = target ?? 0
    let next = (gain ?? 0) + size
    let isThere = size < 0 ? next <= end : next >= end
    gain = isThere || size == 0 ? target : next
  }
}
