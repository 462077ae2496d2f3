/// The requests to unmute that wait until the sound captured before them has been sent: the latency
/// of the device must not make it audible. Reads no clock. Times are in ns.
struct CaptureWaits {
  /// The longest wait, for a device that has stopped.
  static let longest: Int64 = 500_000_000
  /// The duration of the frame with which a request may cross.
  static let frame: Int64 = 10_000_000

  private struct Wait {
    let since: Int64
    let end: @Sendable (_ isValid: Bool) -> Void
  }

  private var waits: [Wait] = []

  /// Adds a request of a time. `end` is called once, with false if a later request counts instead.
  mutating func add(since: Int64, end: @escaping @Sendable (_ isValid: Bool) -> Void) {
    waits.append(Wait(since: since, end: end))
  }

  /// Records that a frame is sent that was captured at a time.
  mutating func sent(capturedAt time: Int64) { end { time >= $0 + Self.frame } }

  /// Ends waits that take too long.
  mutating func expire(now: Int64) { end { now - $0 > Self.longest } }

  /// Ends all waits, because the device does not run.
  mutating func endAll() { end { _ in true } }

  /// Ends all waits, because of a later request to mute.
  mutating func cancel() {
    for wait in waits { wait.end(false) }
    waits = []
  }

  private mutating func end(where isOver: (_ since: Int64) -> Bool) {
    guard !waits.isEmpty else { return }
    for wait in waits where isOver(wait.since) { wait.end(true) }
    waits.removeAll { isOver($0.since) }
  }
}

extension Mailbox<EdgeVoice> {
  /// Waits until the sound that the microphone has captured so far has been sent. Returns whether a
  /// request to unmute that was made before counts. False if somebody on this machine has asked to
  /// mute since.
  func passesCaptured() async -> Bool {
    let now = MonotonicClock.nanoseconds
    return await withCheckedContinuation { continuation in
      post { voice in
        voice.muting.waits.add(since: now) { continuation.resume(returning: $0) }
        if !voice.parts.rings.captureHealth().isRunning { voice.muting.waits.endAll() }
      }
    }
  }
}
