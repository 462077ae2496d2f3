/// The place in the captured sound up to which it was sent.
struct CaptureReader {
  /// Samples of one instant, interleaved.
  struct Piece {
    var microphone: [Float]
    var reference: [Float]
    /// The index of the first sample.
    var first: Int64
  }

  /// The longest time that samples may wait, in seconds, and the longest piece.
  private static let longestWait = 2
  private static let framesOfLongestPiece = 10

  private let sound: CapturedSound
  private let rate: Int
  /// The number of samples of a piece, or nil for any number from 10 ms on.
  private let packet: Int?
  private var next: Int64
  private var debt: Debt
  /// Whether the session has had sound.
  private var hasSent = false
  /// The time after which `take` may return what waits, and the samples that it has left out since
  /// `popLeftOut`.
  private(set) var pause = Duration.zero
  private var leftOut: Int64 = 0

  /// Begins with the sample that comes next. `framesPerPacket` is the exact length of each piece in frames
  /// of 10 ms, if there is one.
  init(_ sound: CapturedSound, rate: Int, framesPerPacket: Int? = nil) {
    self.sound = sound
    self.rate = rate
    packet = framesPerPacket.map { $0 * rate / 100 }
    next = sound.count
    debt = Debt(rate: rate, from: next, now: .now, heardAt: sound.appendedAt)
  }

  /// Goes on with another session, which began at a time.
  mutating func begin(at time: ContinuousClock.Instant) {
    debt = Debt(rate: rate, from: next, now: time, heardAt: sound.appendedAt)
    hasSent = false
  }

  /// Returns how many samples were left out, because they were from before the session.
  mutating func popLeftOut() -> Int64 {
    defer { leftOut = 0 }
    return leftOut
  }

  /// The index of the sample that is sent next.
  var position: Int64 { next }

  /// Returns the next piece, or nil if too few samples wait. If more than two seconds wait, older samples
  /// are left out, and the server conceals the gap. So are those from before the session that its program
  /// gives late.
  mutating func take(now: ContinuousClock.Instant = .now) -> Piece? {
    let end = sound.count
    let tooOld = max(0, end - Int64(Self.longestWait * rate) - next)
    next += tooOld
    if !hasSent { debt.leftOut(tooOld) }
    pause = debt.pause(until: end, now: now)
    guard pause == .zero else { return nil }
    let excess = debt.excess(until: end, now: now)
    next += excess
    leftOut += excess
    let least = packet ?? rate / 100
    guard end - next >= least else { return nil }
    let count = packet ?? min(Int(end - next), Self.framesOfLongestPiece * rate / 100)
    guard let copies = sound.copy(from: next, count: count) else {
      next = sound.count
      return nil
    }
    hasSent = true
    defer { next += Int64(count) }
    return Piece(microphone: copies.microphone, reference: copies.reference, first: next)
  }
}
