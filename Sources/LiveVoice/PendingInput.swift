/// The samples that came in and were not sent yet: at most one second of them.
struct PendingInput {
  /// Samples of one instant, interleaved.
  struct Piece {
    var microphone: [Float]
    var reference: [Float]
    /// The index of the first sample.
    var first: Int64
  }

  private let rate: Int
  private let microphoneChannels: Int
  private let referenceChannels: Int
  private var piece: Piece
  private var count = 0

  /// `referenceChannels` is 0 if there is no reference.
  init(rate: Int, microphoneChannels: Int, referenceChannels: Int) {
    self.rate = rate
    self.microphoneChannels = microphoneChannels
    self.referenceChannels = referenceChannels
    piece = Piece(microphone: [], reference: [], first: 0)
    piece.microphone.reserveCapacity(rate * microphoneChannels)
    piece.reference.reserveCapacity(rate * referenceChannels)
  }

  /// Whether there are 10 ms to send.
  var isReady: Bool { count >= rate / 100 }

  /// Adds samples. A reference that is nil is silent. If more than a second waits, all older samples
  /// are dropped, and the server conceals the gap.
  mutating func add(
    _ microphone: UnsafeBufferPointer<Float>, _ reference: UnsafeBufferPointer<Float>?,
    at first: Int64
  ) {
    let added = microphone.count / microphoneChannels
    if count + added > rate { drop() }
    if count == 0 { piece.first = first }
    let kept = min(added, rate)
    piece.first += Int64(added - kept)
    piece.microphone += microphone.suffix(kept * microphoneChannels)
    if let reference {
      piece.reference += reference.suffix(kept * referenceChannels)
    } else {
      piece.reference += repeatElement(0, count: kept * referenceChannels)
    }
    count += kept
  }

  mutating func drop() {
    piece.microphone.removeAll(keepingCapacity: true)
    piece.reference.removeAll(keepingCapacity: true)
    count = 0
  }

  /// Returns all samples that wait, or nil if they are fewer than 10 ms.
  mutating func take() -> Piece? {
    guard isReady else { return nil }
    defer { drop() }
    return piece
  }
}
