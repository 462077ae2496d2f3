internal import AudioCore

/// What the microphone hears during a test: one channel, as it is.
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

  /// The next 10 ms, captured at a time in ns; silence where they were lost.
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
