internal import AudioCore

/// The unprocessed microphone during a test, as one channel.
struct TestCapture {
  private static let frames = 120

  private var samples: [Float] = []
  private var startedAt: Int64?
  private var count = 0
  private let done: @Sendable (_ samples: [Float], _ capturedAt: Int64) -> Void

  init(done: @escaping @Sendable (_ samples: [Float], _ capturedAt: Int64) -> Void) {
    self.done = done
  }

  var isRunning: Bool { count < Self.frames }

  /// Appends 10 ms that were captured at a time in ns. Fills lost frames with silence.
  mutating func append(_ frame: borrowing Frame, at time: Int64?) {
    guard isRunning else { return }
    if startedAt == nil { startedAt = time }
    count += 1
    if startedAt != nil {
      if time == nil {
        samples += [Float](repeating: 0, count: frame.sampleCount)
      } else {
        samples += frame.plane(0)
      }
    }
    if !isRunning { done(samples, startedAt ?? 0) }
  }
}
