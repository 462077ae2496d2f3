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
  /// The number of samples of a piece, or nil for any number from 10 ms on.
  private let packet: Int?
  private var piece: Piece
  private var count = 0

  /// `referenceChannels` is 0 if there is no reference. `framesPerPacket` is the exact length of each
  /// piece in frames of 10 ms, if there is one.
  init(rate: Int, microphoneChannels: Int, referenceChannels: Int, framesPerPacket: Int? = nil) {
    self.rate = rate
    packet = framesPerPacket.map { $0 * rate / 100 }
    self.microphoneChannels = microphoneChannels
    self.referenceChannels = referenceChannels
    piece = Piece(microphone: [], reference: [], first: 0)
    piece.microphone.reserveCapacity(rate * microphoneChannels)
    piece.reference.reserveCapacity(rate * referenceChannels)
  }

  /// Whether there is a piece to send.
  var isReady: Bool { count >= packet ?? rate / 100 }

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
    piece.microphone += microphone.suffix(kept * microphoneChannels).lazy.map(\.orSilence)
    if let reference {
      piece.reference += reference.suffix(kept * referenceChannels).lazy.map(\.orSilence)
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

  /// Returns the next packet, or all samples that wait, or nil if they are too few.
  mutating func take() -> Piece? {
    guard isReady else { return nil }
    if let packet {
      let next = Piece(
        microphone: Array(piece.microphone.prefix(packet * microphoneChannels)),
        reference: Array(piece.reference.prefix(packet * referenceChannels)), first: piece.first)
      piece.microphone.removeFirst(next.microphone.count)
      piece.reference.removeFirst(next.reference.count)
      piece.first += Int64(packet)
      count -= packet
      return next
    }
    defer { drop() }
    return piece
  }
}
