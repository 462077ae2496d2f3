/// A meter of the latency between the microphone and the processed voice. In ms, each value
/// smoothed over about 50 frames.
struct LatencyMeter {
  struct Shares: Sendable, Equatable {
    /// From the first sample of a frame until the frame is sent. At least 10 ms, the length of a
    /// frame: a device without a clock, such as ALSA's `null`, delivers samples before their time.
    var capture = 0.0
    /// From sending to the answer: network, queues and processing time.
    var server = 0.0
    /// The algorithmic delay of the processing, as the server reports it.
    var processing = 0.0

    var total: Double { capture + server + processing }
  }

  private(set) var shares = Shares()
  /// The length of a frame in ms.
  private static let frame = 10.0
  private static let slots = 256
  /// The smoothed time from the first sample of a frame until the frame is sent.
  private var sinceCapture = 0.0
  private var sent = [Int64](repeating: 0, count: slots)

  init() {}

  init(processing: Duration) { shares.processing = processing.seconds * 1000 }

  /// Records the times, in ns, at which frame `index` of the session was captured and sent.
  mutating func noteSent(_ index: Int64, captured: Int64, now: Int64) {
    let slot = Int(index % Int64(Self.slots))
    sent[slot] = now
    smooth(&sinceCapture, now - captured)
    shares.capture = max(Self.frame, sinceCapture)
  }

  /// Records the answer to a frame.
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
