internal import AnechoicAPI
internal import AudioCore

/// The levels of microphone, reference and output over time, and the difference between microphone
/// and output while the reference plays.
struct LevelCurves {
  /// The level of the reference in dBFS below which nothing plays.
  private static let quietest: Float = -50
  /// The number of frames for which an echo continues after its sound.
  private static let tail = 30
  /// The lowest number of frames of a point of the reduction.
  private static let fewestFrames = 10
  /// The lowest number of frames of a kind.
  private static let fewestFramesOfKind = 50
  /// The shortest times between two points, in frames.
  private static let (levelStep, reductionStep) = (5, 20)

  /// The sum of the mean squares of frames.
  private struct Sum {
    var power: Float = 0
    var count = 0

    mutating func add(_ meanSquare: Float?) {
      guard let meanSquare else { return }
      power += meanSquare
      count += 1
    }

    /// The level in dBFS, or nil without a frame.
    var level: Double? {
      count > 0 ? Double(Decibels.level(meanSquare: power / Float(count))) : nil
    }
  }

  /// The levels of microphone and output in all frames of one kind.
  struct Kind {
    private var microphone = Sum()
    private var processed = Sum()

    fileprivate mutating func add(_ frame: JobFrame) {
      microphone.add(frame.microphone)
      processed.add(frame.processed)
    }

    /// The duration in seconds.
    var seconds: Double { Double(microphone.count) / 100 }
    /// The levels in dBFS, or nil if there is less than half a second.
    var levels: (microphone: Double, output: Double)? {
      guard microphone.count >= LevelCurves.fewestFramesOfKind,
        let before = microphone.level, let after = processed.level
      else { return nil }
      return (before, after)
    }
  }

  private struct Point {
    var microphone = Sum()
    var played = Sum()
    var processed = Sum()

    mutating func add(_ frame: JobFrame) {
      microphone.add(frame.microphone)
      played.add(frame.played)
      processed.add(frame.processed)
    }
  }

  private let rate: SampleRate
  private let framesPerLevel: Int
  private let framesPerReduction: Int
  private var levels: [Point]
  private var echoes: [Point]
  private var echoesWithoutVoice: [Point]
  private var framesSincePlayed = Int.max
  private var framesSinceVoice = 0
  /// The frames in which nobody talks and nothing plays: the noise.
  private(set) var noise = Kind()
  /// The frames in which both sides talk.
  private(set) var doubleTalk = Kind()

  init(_ recording: ReportedRecording) {
    rate = recording.format.rate
    framesPerLevel = recording.framesPerPoint(atLeast: Self.levelStep)
    framesPerReduction = recording.framesPerPoint(atLeast: Self.reductionStep)
    levels = Array(repeating: Point(), count: recording.frameCount / framesPerLevel + 1)
    echoes = Array(repeating: Point(), count: recording.frameCount / framesPerReduction + 1)
    echoesWithoutVoice = echoes
  }

  /// Whether the loudspeaker played in the last frame, or its echo lasts.
  var isPlaying: Bool { framesSincePlayed < Self.tail }

  mutating func append(_ frame: JobFrame) {
    let index = Int(clamping: frame.firstSample / Int64(rate.samplesPerFrame))
    if let played = frame.played, Decibels.level(meanSquare: played) > Self.quietest {
      framesSincePlayed = 0
    } else if framesSincePlayed < Self.tail {
      framesSincePlayed += 1
    }
    addToKinds(frame)
    guard (0..<levels.count).contains(index / framesPerLevel) else { return }
    levels[index / framesPerLevel].add(frame)
    guard isPlaying, !frame.findings.muted else { return }
    echoes[index / framesPerReduction].add(frame)
    if !frame.findings.voice { echoesWithoutVoice[index / framesPerReduction].add(frame) }
  }

  private mutating func addToKinds(_ frame: JobFrame) {
    framesSinceVoice = frame.findings.voice ? 0 : min(framesSinceVoice + 1, Self.tail)
    guard !frame.findings.muted else { return }
    if isPlaying, frame.findings.voice { doubleTalk.add(frame) }
    if !isPlaying, framesSinceVoice >= Self.tail { noise.add(frame) }
  }

  var microphone: [(time: Double, value: Double?)] { curve { $0.microphone.level } }
  var played: [(time: Double, value: Double?)] { curve { $0.played.level } }
  var processed: [(time: Double, value: Double?)] { curve { $0.processed.level } }

  /// The level of the microphone above that of the output, in dB, while the reference plays and
  /// nothing is muted.
  var reduction: [(time: Double, value: Double?)] { reduction(echoes) }

  /// The same, where no voice was found.
  var reductionWithoutVoice: [(time: Double, value: Double?)] { reduction(echoesWithoutVoice) }

  private func reduction(_ echoes: [Point]) -> [(time: Double, value: Double?)] {
    Self.points(echoes, framesPerReduction) { point in
      guard point.microphone.count >= Self.fewestFrames,
        let before = point.microphone.level, let after = point.processed.level
      else { return nil }
      return before - after
    }
  }

  private func curve(_ value: (Point) -> Double?) -> [(time: Double, value: Double?)] {
    Self.points(levels, framesPerLevel, value)
  }

  /// Returns the values of points at the middle of their times.
  private static func points(
    _ points: [Point], _ frames: Int, _ value: (Point) -> Double?
  ) -> [(time: Double, value: Double?)] {
    points.enumerated().map { ((Double($0) + 0.5) * Double(frames) / 100, value($1)) }
  }
}
