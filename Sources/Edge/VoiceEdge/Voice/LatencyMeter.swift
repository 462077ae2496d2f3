/// A meter of the latency between the microphone and the processed voice. In ms, each value
/// smoothed over about 50 frames.
struct LatencyMeter {
  struct Shares: Sendable, Equatable {
    /// From the first sample of a frame until the frame is sent. At least 10 ms, the length of a
    /// frame: a device without a clock, such as ALSA's `null`, delivers samples before their time.
    var capture = 0.0
    /// From sending to the answer: network, queues and processing time. At most `longest`.
    var server = 0.0
    /// The algorithmic delay of the processing, as the server reports it.
    var processing = 0.0

    var total: Double { capture + server + processing }
  }

  private(set) var shares = Shares()
  /// The longest time in ms from sending to the answer that is measured. A longer time is shown as
  /// this value.
  static let longest = 2500.0
  /// The length of a frame in ms.
  private static let frame = 10.0
  /// The number of frames whose times are kept: 2.56 s.
  private static let slots = 256
  /// The smoothed time from the first sample of a frame until the frame is sent.
  private var sinceCapture = 0.0
  private var sent = [Sent](repeating: Sent(), count: slots)

  /// A frame that was sent and is not answered yet.
  private struct Sent {
    var index: Int64 = -1
    var time: Int64 = 0
  }

  init() {}

  init(processing: Duration) { shares.processing = processing.seconds * 1000 }

  /// Records the times, in ns, at which frame `index` of the session was captured and sent.
  mutating func recordSent(_ index: Int64, captured: Int64, now: Int64) {
    let slot = Int(index % Int64(Self.slots))
    sent[slot] = Sent(index: index, time: now)
    smooth(&sinceCapture, now - captured)
    shares.capture = max(Self.frame, sinceCapture)
  }

  /// Records the answer to a frame.
  mutating func recordReceived(_ index: Int64, now: Int64) {
    let slot = Int(index % Int64(Self.slots))
    if sent[slot].index == index {
      smooth(&shares.server, now - sent[slot].time)
      shares.server = min(shares.server, Self.longest)
      sent[slot] = Sent()
    } else if sent[slot].index > index {
      // A later frame has taken the place of this one.
      shares.server = Self.longest
    }
  }

  private func smooth(_ value: inout Double, _ time: Int64) {
    let new = Double(time) / 1e6
    value += (new - value) * (value == 0 ? 1 : 0.02)
  }
}
