/// The rule that decides whether a thread takes one more session in real time.
///
/// Loads are shares of the thread's time. A session's predicted load is the time that its engine needs
/// for 10 ms of its audio.
struct FrameBudget: Sendable, Equatable {
  /// The share that the frames of all sessions in real time may take. 0 is no limit.
  let share: Double

  /// Returns whether one more session fits.
  ///
  /// A thread takes one session in any case. The sessions that run count with their predicted load, as
  /// they may have just started, or with their measured load if that is higher. If they need more than
  /// predicted, the new session is expected to need more by the same factor.
  func admits(_ session: Double, predicted: Double, measured: Double, running: Int) -> Bool {
    guard share > 0, running > 0 else { return true }
    let excess = predicted > 0 ? max(1, measured / predicted) : 1
    let average = measured / Double(running)
    let expected = session > 0 ? session * excess : average
    return max(predicted, measured) + expected <= share
  }
}
