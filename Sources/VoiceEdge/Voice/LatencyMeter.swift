/// Where the time goes between the mouth and the processed voice. In ms, each smoothed over some 50
/// frames.
struct LatencyMeter {
  struct Shares: Sendable, Equatable {
    /// From the first sample of a frame to the frame being sent: 10 ms are the frame itself.
    var capture = 0.0
    /// From there to the answer: network, queues and the server's work.
    var server = 0.0
    /// What the processing itself delays, as the server says.
    var processing = 0.0

    var total: Double { capture + server + processing }
  }

  private(set) var shares = Shares()
  private static let slots = 256
  private var captured = [Int64](repeating: 0, count: slots)
  private var sent = [Int64](repeating: 0, count: slots)

  init() {}

  init(processing: Duration) { shares.processing = processing.seconds * 1000 }

  /// Frame `index` of the session was captured and sent, at times in ns.
  mutating func noteSent(_ index: Int64, captured: Int64, now: Int64) {
    let slot = Int(index % Int64(Self.slots))
    self.captured[slot] = captured
    sent[slot] = now
    smooth(&shares.capture, now - captured)
  }

  /// Its answer came.
  mutating func noteReceived(_ index: Int64, now: Int64) {
    let slot = Int(index % Int64(Self.slots))
    guard sent[slot] > 0 else { return }
    smooth(&shares.server, now - sent[slot])
    sent[slot] = 0
  }

  private func smooth(_ value: inout Double, _ time: Int64) {
    let new = Double(time) / 1e6
    value += (new - value) * (value == 0 ? 1 : 0.02)
  }
}
