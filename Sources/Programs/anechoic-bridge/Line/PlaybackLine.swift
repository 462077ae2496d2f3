/// The sound of an upstream that waits to be played, as the client plays it: one item after another, in
/// real time.
///
/// The clock is that of the client's microphone. While no microphone comes, the bridge's clock
/// takes its place. Sound that comes while none waits begins with the sample of the microphone that
/// the client took then, and not with the next one that comes: a network or a recorder may hold
/// that back.
struct PlaybackLine {
  typealias Instant = ContinuousClock.Instant

  /// A content of an item of a conversation.
  struct Source: Hashable {
    let item: String
    let contentIndex: Int
  }

  private struct Part {
    let source: Source?
    var samples: [Int16]
    /// The samples that follow and were not kept: silence takes their place.
    var omitted: Int
    /// The samples of the source that have been played, and the place in `samples`.
    var played = 0
    var position = 0
    /// The time before which the part does not play, and the samples for which it may wait. Nil for
    /// one that only follows what is before it, and once it plays.
    var begin: (time: Instant, patience: Int)?

    var left: Int { samples.count - position + omitted }
  }

  /// The time without a microphone after which the bridge's clock takes its place, at least and at most.
  /// Sound that a network holds up comes sooner.
  private static let pause = Duration.milliseconds(500)
  private static let longestPatience = Duration.seconds(2)
  /// The samples that have been played and are kept in front of the others.
  private static let mostKept = 1 << 16
  /// The sound that is kept, in seconds. Of sound that is further ahead, only the length is.
  private static let mostAhead = 300.0
  /// The number of sources that wait, from which on one without room for its sound is not noted.
  private static let mostParts = 1000
  /// The longest pause after which the sound of the pause can come back, in seconds.
  private static let longestPause = 10.0

  /// The loudest sample that is no sound, as for the turns of the server, and the time for which
  /// sound lasts in a pause between two words, in seconds.
  private static let quiet: UInt16 = 104
  private static let shortestSilence = 0.3

  /// The rate in Hz.
  let rate: Int
  /// Whether the sound of a pause can come back.
  private let keepsPauses: Bool
  private var parts: [Part] = []
  /// The samples of the microphone, and of its pauses, up to which sound was played.
  private var position = 0
  private var clock: MicrophoneClock
  /// The time up to which sound was played.
  private var playedUntil: Instant
  private var isInPause = false
  /// The number of samples that the bridge's clock has played since the last microphone, and the last of
  /// them.
  private var unheardCount = 0
  private var unheard: [Int16] = []
  /// The samples that were played since the last sound.
  private var quietCount: Int
  /// The last time at which nothing waited.
  private var emptyTime: Instant

  /// With `keepsPauses`, what the bridge's clock has played in a pause of the microphone comes back if the
  /// microphone of the pause comes after all.
  init(rate: Int, keepsPauses: Bool = false, now: Instant) {
    self.rate = rate
    self.keepsPauses = keepsPauses
    clock = MicrophoneClock(rate: rate)
    playedUntil = now
    emptyTime = now
    quietCount = rate
  }

  /// The time of the sound that waits, in seconds.
  var seconds: Double { Double(parts.reduce(0) { $0 + $1.left }) / Double(rate) }

  var isEmpty: Bool { parts.allSatisfy { $0.left == 0 } }

  /// Whether the client plays sound, and not a pause of it.
  var isAudible: Bool { Double(quietCount) < Self.shortestSilence * Double(rate) }

  /// Whether more than silence waits.
  var holdsSound: Bool {
    parts.contains { $0.samples[$0.position...].contains { $0.magnitude > Self.quiet } }
  }

  /// Whether sound of an item waits.
  func plays(_ item: String) -> Bool { parts.contains { $0.source?.item == item && $0.left > 0 } }

  /// Adds sound that came at a time. Without one, it came together with the microphone of its own
  /// time, and begins at once if nothing waits.
  mutating func append(_ samples: [Int16], of source: Source? = nil, at time: Instant? = nil) {
    let room = max(0, Int((Self.mostAhead - seconds) * Double(rate)))
    let kept = samples.prefix(room)
    let omitted = samples.count - kept.count
    var part = Part(source: source, samples: Array(kept), omitted: omitted)
    if let time, !samples.isEmpty, sample(at: time) > end {
      part.begin = (time, Int(Self.longestPatience / .seconds(1) * Double(rate)))
    }
    guard let last = parts.indices.last, parts[last].source == source else {
      guard !kept.isEmpty || parts.count < Self.mostParts else { return }
      // The last source is kept while it may go on.
      parts.removeAll { $0.left == 0 }
      return parts.append(part)
    }
    let isSeparate = part.begin != nil || parts[last].omitted > 0
    guard isSeparate, !kept.isEmpty else {
      parts[last].samples += kept
      parts[last].omitted += omitted
      return
    }
    part.played = parts[last].played + parts[last].left
    parts.removeAll { $0.left == 0 }
    parts.append(part)
  }

  /// The sample of the microphone at which all that waits has been played.
  private var end: Int {
    parts.reduce(position) { end, part in
      part.left == 0 ? end : end + wait(of: part, at: end) + part.left
    }
  }

  /// Returns the sample of the microphone that the client took at this time. Before the first sound
  /// of a microphone, the bridge's clock counts.
  private func sample(at time: Instant) -> Int {
    clock.sample(at: time)
      ?? position + Int(((time - playedUntil) / .seconds(1) * Double(rate)).rounded())
  }

  /// Returns the samples for which a part still waits at a sample of the microphone.
  private func wait(of part: Part, at position: Int) -> Int {
    guard let (time, patience) = part.begin else { return 0 }
    return max(0, min(patience, sample(at: time) - position))
  }

  /// Plays as long as the microphone took. Returns the samples, with silence in the place of those that are
  /// missing.
  mutating func pop(_ count: Int, now: Instant) -> [Int16] {
    // In a pause, the clock of the bridge has moved the position, and not the microphone.
    if isInPause { clock.restart() }
    playedUntil = now
    isInPause = false
    forgetUnheard()
    clock.came(upTo: position + count, at: now)
    let samples = play(count)
    return samples + repeatElement(0, count: count - samples.count)
  }

  /// Plays without a microphone if none has come for a while. `blocks` is the length of the blocks in which
  /// the microphone comes.
  mutating func advance(now: Instant, blocks: Duration? = nil) {
    if isEmpty { emptyTime = now }
    let patience = max(Self.pause, min(Self.longestPatience, (blocks ?? .zero) * 5 / 4))
    isInPause = isInPause || now - playedUntil > patience
    guard isInPause else { return }
    let count = Int((now - playedUntil) / .seconds(1) * Double(rate))
    let audible = audible(of: count, now)
    position += count - audible
    let samples = play(audible)
    playedUntil += .seconds(Double(count) / Double(rate))
    guard keepsPauses else { return }
    // A bridge that stood still for hours has as much silence to play.
    let most = Int(Self.longestPause * Double(rate))
    unheard += repeatElement(0, count: min(count - audible, most))
    unheard += samples + repeatElement(0, count: min(audible - samples.count, most))
    unheardCount += count
    if unheard.count > 2 * most { unheard.removeFirst(unheard.count - most) }
  }

  /// Returns how many of the last `count` samples played: sound that has come meanwhile did not play
  /// before.
  private func audible(of count: Int, _ now: Instant) -> Int {
    min(count, Int((now - emptyTime) / .seconds(1) * Double(rate)))
  }

  /// Plays what the client has played while its microphone was lost for `lost` samples. Returns the last
  /// `count` samples of that, or as many as were lost. The sound that the bridge's clock has played counts,
  /// and comes back as far as its microphone does.
  mutating func catchUp(_ lost: Int, returning count: Int, now: Instant) -> [Int16] {
    let forgotten = unheardCount - unheard.count
    let known = Array(unheard.prefix(max(0, lost - forgotten)))
    let rest = max(0, lost - unheardCount)
    let back = lost >= forgotten ? unheard.dropFirst(known.count) : []
    position -= back.count
    if keepsPauses { isInPause = false }
    forgetUnheard()
    if !back.isEmpty { parts.insert(Part(source: nil, samples: Array(back), omitted: 0), at: 0) }
    let audible = audible(of: rest, now)
    position += rest - audible
    let silence = [Int16](repeating: 0, count: min(rest - audible, count))
    let played = play(audible)
    let end = [Int16](repeating: 0, count: min(audible - played.count, count))
    return Array((known + silence + played + end).suffix(count))
  }

  /// Returns the reference of sound that was counted as lost and has come after all, so that its reference
  /// has been played: silence for `owed` samples, then what plays now.
  mutating func pop(_ count: Int, owed: Int, now: Instant) -> [Int16] {
    [Int16](repeating: 0, count: owed) + pop(count - owed, now: now)
  }

  private mutating func forgetUnheard() {
    unheardCount = 0
    unheard = []
  }

  /// Drops what waits. Returns the sources of which something was dropped, and how much of each was played,
  /// in samples.
  mutating func stop() -> [(source: Source, played: Int)] {
    defer { parts.removeAll() }
    var sources: Set<Source> = []
    return parts.compactMap { part in
      guard let source = part.source, part.left > 0, sources.insert(source).inserted else {
        return nil
      }
      return (source, part.played)
    }
  }

  /// Plays for `count` samples of the microphone. Returns the samples up to the last sound.
  private mutating func play(_ count: Int) -> [Int16] {
    let samples = take(count)
    let last = samples.lastIndex { $0.magnitude > Self.quiet }
    quietCount = last.map { count - 1 - $0 } ?? quietCount + count
    position += count
    return samples
  }

  private mutating func take(_ count: Int) -> [Int16] {
    var samples: [Int16] = []
    for index in parts.indices where samples.count < count && parts[index].left > 0 {
      let wait = wait(of: parts[index], at: position + samples.count)
      let silence = min(wait, count - samples.count)
      samples += repeatElement(0, count: silence)
      parts[index].begin?.patience -= silence
      guard silence == wait, samples.count < count else { break }
      parts[index].begin = nil
      let part = parts[index]
      let taken = min(part.left, count - samples.count)
      let kept = min(part.samples.count - part.position, taken)
      samples += part.samples[part.position..<(part.position + kept)]
      samples += repeatElement(0, count: taken - kept)
      parts[index].position += kept
      parts[index].omitted -= taken - kept
      parts[index].played += taken
      if parts[index].position > Self.mostKept {
        parts[index].samples.removeFirst(parts[index].position)
        parts[index].position = 0
      }
    }
    if let last = parts.last { parts = parts.dropLast().filter { $0.left > 0 } + [last] }
    return samples
  }
}
