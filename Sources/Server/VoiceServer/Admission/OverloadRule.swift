/// The rule by which the sessions of an overloaded thread run with less processing, and later run in
/// full again. It reads no clock: it is asked once in each period of 100 ms.
struct OverloadRule {
  /// The way in which the sessions of a thread run, from best to cheapest.
  enum Step: Equatable {
    case full
    /// The engines run in their reduced mode: without noise suppression and the like.
    case reduced
  }

  /// The lateness from which on frames count as late, and below which they are on time again.
  static let late = Duration.milliseconds(50)
  static let onTime = Duration.milliseconds(20)
  /// The load below which late frames are not the thread's fault: they arrived late.
  static let leastLoad = 0.7
  /// The periods of overload before the sessions step down.
  static let patience = 5
  /// The periods of ease before they step up: 10 s. Doubled, up to 5 min, after each step up that did
  /// not last that long.
  static let leastEase = 100
  static let mostEase = 3000
  /// The share of the budget below which a thread is at ease.
  static let easyShare = 0.6

  private let share: Double
  private(set) var step = Step.full
  private var overloaded = 0
  private var eased = 0
  private var neededEase = Self.leastEase
  private var sinceStepUp = Self.mostEase

  /// Creates a rule for a budget, a share of the thread's time. 0 never steps.
  init(share: Double) { self.share = share }

  /// Records a period with its load and with the lateness of the thread's frames. Returns the new
  /// step, or nil if it stays.
  mutating func record(load: Double, lateness: Duration) -> Step? {
    guard share > 0 else { return nil }
    switch step {
    case .full:
      sinceStepUp = min(sinceStepUp + 1, Self.mostEase)
      let isOverloaded = lateness >= Self.late && load >= Self.leastLoad
      overloaded = isOverloaded ? overloaded + 1 : 0
      guard overloaded >= Self.patience else { return nil }
      neededEase =
        sinceStepUp < neededEase ? min(neededEase * 2, Self.mostEase) : Self.leastEase
      (step, overloaded, eased) = (.reduced, 0, 0)
    case .reduced:
      let isEasy = lateness < Self.onTime && load < share * Self.easyShare
      eased = isEasy ? eased + 1 : 0
      guard eased >= neededEase else { return nil }
      (step, eased, sinceStepUp) = (.full, 0, 0)
    }
    return step
  }
}
