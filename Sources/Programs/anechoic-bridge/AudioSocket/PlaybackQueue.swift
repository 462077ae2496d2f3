/// The application's audio that waits to be played, as bytes of 16-bit samples.
struct PlaybackQueue {
  /// The loudest sample of silence: -60 dBFS.
  private static let quiet: UInt16 = 32

  private var bytes: [UInt8] = []
  private var start = 0

  var count: Int { bytes.count - start }

  mutating func append(_ new: [UInt8]) { bytes += new }

  /// Takes bytes for the next instant, with silence in place of bytes that are missing.
  mutating func pop(_ wanted: Int) -> [UInt8] {
    let end = min(bytes.count, start + wanted)
    let result = bytes[start..<end] + repeatElement(0, count: wanted - (end - start))
    start = end
    if start == bytes.count {
      removeAll()
    } else if start > 1 << 16 {
      bytes.removeFirst(start)
      start = 0
    }
    return Array(result)
  }

  /// Leaves out the next bytes if they are silence, and all of them are there. Returns whether it
  /// did.
  mutating func skipSilence(_ wanted: Int) -> Bool {
    guard count >= wanted, Self.isSilence(bytes[start..<(start + wanted)]) else { return false }
    start += wanted
    return true
  }

  static func isSilence(_ bytes: some Collection<UInt8>) -> Bool {
    CallVoice.samples(Array(bytes)).allSatisfy { $0.magnitude <= quiet }
  }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    start = 0
  }
}

/// The rule by which a backlog of the application's audio becomes shorter.
///
/// An application that sends in real time, and whose clock is fast or which has once been held up,
/// would otherwise be late for the rest of the call. One that sends whole sentences at once is not
/// shortened.
struct PlaybackBacklog {
  /// The audio that may wait, in seconds, and the time for which at least that much has to wait.
  private static let mostWaiting = 0.06
  private static let patience = Duration.seconds(2)
  /// The silence of a pause that stays, in seconds: pauses between words are shorter.
  private static let leastSilence = 0.2

  /// The time since which too much has waited all the time. Nil while it has not.
  private var since: ContinuousClock.Instant?
  /// The silence that was played last, in seconds.
  private var silence = 0.0

  /// Records that some audio was played, in seconds, while `waiting` more waits. Returns whether
  /// silence after it is to be left out. `isFull` is whether the application is held back.
  mutating func played(
    _ seconds: Double, isSilence: Bool, waiting: Double, isFull: Bool,
    at now: ContinuousClock.Instant
  ) -> Bool {
    silence = isSilence ? silence + seconds : 0
    guard waiting >= Self.mostWaiting, !isFull else {
      since = nil
      return false
    }
    let since = since ?? now
    self.since = since
    return now - since >= Self.patience && silence > Self.leastSilence
  }
}
