/// The rule that decides whether a thread takes one more session in real time.
///
/// Loads are shares of the thread's time. A session's predicted load is the time that its engine, and
/// the parts beside it, need for 10 ms of its audio.
struct FrameBudget: Sendable, Equatable {
  /// The share that all sessions in real time may take. 0 is no limit.
  let share: Double

  /// The load of a thread that counts: the predicted load of its sessions, as they may have just
  /// started, or the measured load of the thread if that is higher.
  static func committed(predicted: Double, measured: Double) -> Double { max(predicted, measured) }

  /// Returns whether one more session fits.
  ///
  /// A thread takes one session in any case. If the running sessions need more than predicted, the new
  /// session is expected to need more by the same factor.
  func admits(_ session: Double, predicted: Double, measured: Double, running: Int) -> Bool {
    guard share > 0, running > 0 else { return true }
    let excess = predicted > 0 ? max(1, measured / predicted) : 1
    let average = measured / Double(running)
    let expected = session > 0 ? session * excess : average
    return Self.committed(predicted: predicted, measured: measured) + expected <= share
  }
}
