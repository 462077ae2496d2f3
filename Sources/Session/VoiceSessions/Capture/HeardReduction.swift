internal import AudioCore

/// Measures the echo reduction as a person hears it: the level of the microphone above that of the
/// output, while the reference or its echo sounds and nothing is muted. All stages contribute.
///
/// The command `anechoic process` measures whole files in the same way.
struct HeardReduction {
  /// The mean square of the reference above which it sounds: -50 dBFS.
  private static let audible: Float = 1e-5
  /// The frames for which an echo continues after its sound.
  private static let tailFrames = 30
  /// The frames with sound that the canceller may take to find the echo. They do not count.
  private static let framesToFind = 200
  /// The recent frames that count: a second, in blocks.
  private static let (framesPerBlock, recentBlocks) = (10, 10)

  /// The measurements of one frame.
  struct Observation {
    /// The mean squares of the microphone, of the reference and of the output. The output follows the
    /// microphone by the delay of the session.
    var microphone: Float
    var reference: Float
    var output: Float
    /// Whether the output contains voice, and whether it is muted, or contains injected speech.
    var hasVoice: Bool
    var isMuted: Bool
    /// Whether no echo is cancelled, because headphones play the reference.
    var isAtRest = false
  }

  private var whole = Powers()
  private var withoutVoice = Powers()
  /// The sums of the recent blocks. A ring, whose block at `blockPlace` grows.
  private var blocks = Array(repeating: Powers(), count: recentBlocks)
  private var (blockPlace, framesInBlock) = (0, 0)
  private var framesSincePlayed = tailFrames
  private var framesPlayed = 0
  /// The frames of the microphone that have not reached the output: their mean squares, or nil for those
  /// that do not count. A ring.
  private var waiting: [Float?]
  private var place = 0

  /// Creates a measurement for an output that follows the microphone by `delay`.
  init(delay: Duration) {
    let frames = max(0, Int((delay / .milliseconds(10)).rounded()))
    waiting = Array(repeating: nil, count: frames + 1)
  }

  /// Whether the reference sounds, or did within the last 0.3 s.
  var isReferenceActive: Bool { framesSincePlayed < Self.tailFrames }

  /// The reduction of about the last second that counts and has no voice, in dB. Nil before there was
  /// any.
  var recent: Float? {
    var sum = Powers()
    for block in blocks { sum.add(block) }
    return sum.reduction
  }

  /// The reduction of the whole session where no voice was found, in dB, or else of all that counts. Nil
  /// if nothing counts.
  var ofSession: Float? { withoutVoice.reduction ?? whole.reduction }

  /// Adds a frame. Runs per frame: no allocation, lock, log or await.
  mutating func process(_ seen: Observation) {
    if seen.reference > Self.audible {
      framesSincePlayed = 0
      framesPlayed += 1
    } else {
      framesSincePlayed = min(framesSincePlayed + 1, Self.tailFrames)
    }
    let counts = isReferenceActive && framesPlayed > Self.framesToFind && !seen.isAtRest
    waiting[place] = counts ? seen.microphone : nil
    place = (place + 1) % waiting.count
    guard let microphone = waiting[place], !seen.isMuted else { return }
    whole.add(microphone, seen.output)
    guard !seen.hasVoice else { return }
    withoutVoice.add(microphone, seen.output)
    addToBlock(microphone, seen.output)
  }

  private mutating func addToBlock(_ before: Float, _ after: Float) {
    if framesInBlock == Self.framesPerBlock {
      framesInBlock = 0
      blockPlace = (blockPlace + 1) % Self.recentBlocks
      blocks[blockPlace] = Powers()
    }
    framesInBlock += 1
    blocks[blockPlace].add(before, after)
  }

  private struct Powers {
    private var before = 0.0
    private var after = 0.0

    mutating func add(_ before: Float, _ after: Float) {
      self.before += Double(before)
      self.after += Double(after)
    }

    mutating func add(_ other: Powers) {
      before += other.before
      after += other.after
    }

    /// In dB. Nil if the microphone was silent.
    var reduction: Float? {
      guard before > 0 else { return nil }
      return Decibels.level(meanSquare: Float(before)) - Decibels.level(meanSquare: Float(after))
    }
  }
}
