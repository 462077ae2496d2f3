/// The microphone of a call in messages, on its way through the voice of an Anechoic server.
///
/// Sound and other items leave in the order in which they came, sound as many samples as came. A pure state
/// machine except for the voice: it reads no clock.
struct LiveLine<Item> {
  typealias Instant = ContinuousClock.Instant

  /// A piece of sound, or an item without sound.
  struct Piece {
    let item: Item
    /// Whether the piece is the first one of its message.
    var isFirst = true
    var samples: [Int16] = []
  }

  /// Sound that waits to be processed. Items have no samples.
  private struct Waiting {
    let piece: Piece
    /// The number of samples that were lost before, or nil if that is not known. Negative for samples that
    /// were counted as lost and come after all.
    var lost: Int?
    var taken = 0
  }

  /// The pieces that wait to be processed.
  private struct WaitingPieces {
    var pieces: [Waiting] = []
    /// The samples, and the items without sound, among them.
    var samples = 0
    var items = 0
  }

  /// The time since the last sound, after which silence follows it.
  private struct Quiet {
    var lastSound: Instant
    /// The time of the sound that came last.
    var lastLength = Duration.zero
    /// Whether silence follows the newest sound already, so that all of it leaves, and its samples.
    var isFlushed = true
    var flushed = 0
    var mustFlush = false
  }

  /// The sound that waits, in seconds, and the pieces, at which nothing should be added.
  private static var mostSeconds: Int { 2 }
  private static var mostPieces: Int { 4096 }
  /// The sound after a sample that the server needs to process it: whole frames, and the look-ahead of
  /// engine and converters.
  private static var lookAhead: Double { 0.03 }
  /// The time without sound after which the sound that is on its way follows, at least: a client has
  /// stopped, and not only its network. An item that waits for the sound has less patience.
  private static var shortestQuiet: Duration { .milliseconds(400) }
  private static var shortestQuietBeforeItem: Duration { .milliseconds(60) }
  private static var longestQuiet: Duration { .seconds(2) }
  /// The end of sound that was lost, which silence replaces for the echo canceller, in seconds: the longest
  /// echo path.
  private static var longestReplacement: Double { 0.5 }

  let rate: Int
  private let voice: any CleanedVoice
  /// The delay of the voice in samples, and the part of it that processing may take.
  private let delay: Int
  private let wait: Duration
  private let lookAhead: Int
  private let longestPiece: Int
  private var waiting = WaitingPieces()
  private var ledger = Ledger<Piece>()
  private var pace: InputPace
  /// The samples of sound that comes after all, whose reference has been played already.
  private var owed = 0
  private var pushed = 0
  private var pulled = 0
  /// The ends of the sound at the times of the last moments, and the last one before.
  private var ends: [(time: Instant, pushed: Int)] = []
  private var settled = 0
  private var quiet: Quiet

  /// `delay` is that of the voice. Sound of a message is cut into pieces of `longestPiece` samples.
  init(
    _ voice: any CleanedVoice, rate: Int, delay: Duration, longestPiece: Int = .max, now: Instant
  ) {
    self.voice = voice
    self.rate = rate
    self.delay = Int(delay / .seconds(1) * Double(rate))
    self.longestPiece = longestPiece
    lookAhead = Int(Self.lookAhead * Double(rate))
    wait = delay * 2 / 3
    pace = InputPace(now: now)
    quiet = Quiet(lastSound: now)
    ledger.addFiller(self.delay)
  }

  /// Whether so much waits that nothing should be added.
  var isFull: Bool {
    waiting.samples >= Self.mostSeconds * rate
      || waiting.pieces.count + ledger.count >= Self.mostPieces
  }

  /// Whether an item waits behind sound.
  var holdsItem: Bool { waiting.items + ledger.silentCount > 0 }

  var isEmpty: Bool { waiting.pieces.isEmpty && ledger.count == 0 }

  /// The time of the sound that came last.
  var blockLength: Duration { quiet.lastLength }

  /// Adds an item that leaves after the sound before it.
  mutating func add(_ item: Item) {
    waiting.pieces.append(Waiting(piece: Piece(item: item)))
    waiting.items += 1
  }

  /// Adds the sound of a message. `lost` is the number of samples that were lost before it, which the client
  /// has played through, or nil if that is not known. It is negative for samples that were counted as lost
  /// and come after all.
  mutating func add(_ item: Item, _ samples: [Int16], after lost: Int? = nil, now: Instant) {
    guard !samples.isEmpty else { return add(item) }
    let length = Duration.seconds(Double(samples.count) / Double(rate))
    // A block as long as the time since the last one says so itself: nothing is lost.
    let lost = lost ?? (length * 5 / 4 >= now - quiet.lastSound ? 0 : nil)
    for start in stride(from: 0, to: samples.count, by: min(longestPiece, samples.count)) {
      let end = start + min(longestPiece, samples.count - start)
      waiting.pieces.append(
        Waiting(
          piece: Piece(item: item, isFirst: start == 0, samples: Array(samples[start..<end])),
          lost: lost.map { start == 0 ? $0 : 0 }))
    }
    waiting.samples += samples.count
    quiet.lastSound = now
    quiet.isFlushed = false
    quiet.lastLength = length
  }

  /// Lets all sound leave soon: none follows.
  mutating func flush() { quiet.mustFlush = true }

  /// Processes the sound whose time has come. Returns what leaves. `playback` is the reference.
  mutating func advance(_ playback: inout PlaybackLine, now: Instant) -> [Piece] {
    push(&playback, now)
    flushIfQuiet(now)
    let limit = min(pushed, settledEnd(now) + delay - lookAhead)
    let samples = limit > pulled ? voice.pull(limit - pulled) : []
    pulled += samples.count
    return ledger.settle(samples).map {
      Piece(item: $0.item.item, isFirst: $0.item.isFirst, samples: $0.samples)
    }
  }

  private mutating func push(_ playback: inout PlaybackLine, _ now: Instant) {
    var room = Int(pace.available(at: now) * Double(rate))
    var done = 0
    while done < waiting.pieces.count {
      let (piece, taken) = (waiting.pieces[done].piece, waiting.pieces[done].taken)
      if room > 0, let lost = waiting.pieces[done].lost.take() {
        room -= replace(lost, atMost: room - piece.samples.count, &playback, now)
      }
      let count = min(piece.samples.count - taken, room)
      guard piece.samples.isEmpty || count > 0 else { break }
      if taken == 0 { ledger.add(piece, count: piece.samples.count) }
      if count > 0 {
        quiet.flushed = 0
        let back = min(owed, count)
        owed -= back
        let reference = playback.pop(count, owed: back, now: now)
        push(Array(piece.samples[taken..<(taken + count)]), reference, now)
        pace.spend(Double(count) / Double(rate))
        room -= count
        waiting.samples -= count
      } else {
        waiting.items -= 1
      }
      waiting.pieces[done].taken += count
      guard waiting.pieces[done].taken == piece.samples.count else { break }
      done += 1
    }
    waiting.pieces.removeFirst(done)
  }

  /// Lets the time of lost sound pass: its end with silence as the microphone, so that the echo of what
  /// played then meets its reference. Returns the number of samples of this silence, which is not more than
  /// the pace allows.
  private mutating func replace(
    _ lost: Int, atMost room: Int, _ playback: inout PlaybackLine, _ now: Instant
  ) -> Int {
    owed = max(0, -lost)
    guard lost >= 0 else { return 0 }
    let most = min(room, Int(Self.longestReplacement * Double(rate)))
    let count = max(0, min(lost - quiet.flushed, most))
    let reference = playback.catchUp(lost, returning: count, now: now)
    guard count > 0 else { return 0 }
    ledger.addFiller(count)
    push([Int16](repeating: 0, count: count), reference, now)
    pace.spend(Double(count) / Double(rate))
    return count
  }

  private mutating func push(_ microphone: [Int16], _ reference: [Int16], _ now: Instant) {
    voice.push(microphone, reference: reference)
    pushed += microphone.count
    ends.append((now, pushed))
  }

  /// Adds silence once no sound has come for a while, so that the sound before it leaves. The playback
  /// stands still meanwhile: for the echo canceller, no time passes.
  private mutating func flushIfQuiet(_ now: Instant) {
    guard !quiet.isFlushed, waiting.pieces.isEmpty else { return }
    let limit =
      ledger.silentCount > 0
      ? max(Self.shortestQuietBeforeItem, quiet.lastLength * 5 / 4)
      : max(Self.shortestQuiet, quiet.lastLength * 2)
    guard quiet.mustFlush || now - quiet.lastSound > min(Self.longestQuiet, limit) else { return }
    quiet.isFlushed = true
    quiet.flushed += delay
    ledger.addFiller(delay)
    let silence = [Int16](repeating: 0, count: delay)
    push(silence, silence, now)
    pace.spend(Double(delay) / Double(rate))
  }

  /// Returns the end of the sound that the server has had time to process.
  private mutating func settledEnd(_ now: Instant) -> Int {
    if let last = ends.lastIndex(where: { now - $0.time >= wait }) {
      settled = ends[last].pushed
      ends.removeFirst(last + 1)
    }
    return settled
  }

  /// Returns the next change of the voice, or nil if there is none.
  func nextChange() -> VoiceChange? { voice.nextChange() }

  func close() { voice.close() }
}
