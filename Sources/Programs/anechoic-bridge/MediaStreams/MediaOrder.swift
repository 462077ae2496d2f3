/// The media of a caller in the order of their numbers, which not every provider keeps.
///
/// Media with later numbers wait for the others only once media have come in a wrong order: a number may
/// also be missing because its sound was lost.
struct MediaOrder {
  typealias Instant = ContinuousClock.Instant

  /// By what media are known if they come once more.
  private struct Mark: Equatable {
    let chunk: Int
    let timestamp: Int?
    let payload: Int

    init(_ stream: MediaStreamMessage, _ chunk: Int) {
      self.chunk = chunk
      timestamp = stream.timestamp
      payload = stream.payload.hashValue
    }
  }

  private static let patience = Duration.milliseconds(60)
  /// The media that wait, and the ones that are remembered.
  private static let most = 16
  /// The longest message that waits, in bytes: a second of PCM at 48 kHz has as many.
  private static let longestMessage = 1 << 17

  private var next: Int?
  private var isUnreliable = false
  private var waiting: [(chunk: Int, stream: MediaStreamMessage, time: Instant)] = []
  private var last: [Mark] = []
  /// Whether the provider gives the same number to media that differ.
  private var isUncounted = false

  /// Whether the numbers of messages count the media of both tracks, so that they are no order.
  var hasTwoTracks = false

  /// Takes media. Returns those whose turn has come. Media that come twice are left out.
  mutating func add(_ stream: MediaStreamMessage, now: Instant) -> [MediaStreamMessage] {
    guard !isUncounted, let chunk = number(of: stream), (0..<Int.max).contains(chunk) else {
      return [stream]
    }
    let known = last + waiting.map { Mark($0.stream, $0.chunk) }
    if let same = known.first(where: { $0.chunk == chunk }) {
      isUncounted = same != Mark(stream, chunk)
      return isUncounted ? release() + [stream] : []
    }
    guard let next, abs(chunk - next) <= Self.most else {
      // A first number, or another way of counting.
      return release() + [use(stream, chunk)]
    }
    if chunk < next {
      isUnreliable = true
      remember(stream, chunk)
      return [stream]
    }
    guard chunk > next, isUnreliable, waiting.count < Self.most,
      stream.byteCount <= Self.longestMessage
    else {
      return release { $0 < chunk } + [use(stream, chunk)] + following()
    }
    let place = waiting.firstIndex { $0.chunk > chunk } ?? waiting.count
    waiting.insert((chunk, stream, now), at: place)
    return []
  }

  /// Returns the media that have waited long enough.
  mutating func due(now: Instant) -> [MediaStreamMessage] {
    guard waiting.contains(where: { now - $0.time >= Self.patience }) else { return [] }
    return release()
  }

  /// Returns all media that wait, or those with the numbers for which `isFree` returns true.
  mutating func release(_ isFree: (Int) -> Bool = { _ in true }) -> [MediaStreamMessage] {
    let free = waiting.filter { isFree($0.chunk) }
    waiting.removeAll { isFree($0.chunk) }
    return free.map { use($0.stream, $0.chunk) }
  }

  private mutating func following() -> [MediaStreamMessage] {
    var streams: [MediaStreamMessage] = []
    while let first = waiting.first, first.chunk == next {
      streams.append(use(first.stream, first.chunk))
      waiting.removeFirst()
    }
    return streams
  }

  private mutating func use(_ stream: MediaStreamMessage, _ chunk: Int) -> MediaStreamMessage {
    next = chunk + 1
    remember(stream, chunk)
    return stream
  }

  private mutating func remember(_ stream: MediaStreamMessage, _ chunk: Int) {
    last.append(Mark(stream, chunk))
    if last.count > Self.most { last.removeFirst() }
  }

  private func number(of stream: MediaStreamMessage) -> Int? {
    stream.chunk ?? (hasTwoTracks ? nil : stream.sequence)
  }
}
