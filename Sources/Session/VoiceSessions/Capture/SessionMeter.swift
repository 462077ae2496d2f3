internal import AudioCore
internal import VoiceEngines

/// Measures the frames of a session.
struct SessionMeter {
  private var current = SessionStatistics()
  private var noiseFloor = NoiseFloorTracker()
  private var offset = OffsetTracker()
  private var offsetOfOutput = OffsetTracker()

  /// The mean square of the last frame of the microphone, without a constant offset.
  private(set) var microphoneMeanSquare: Float = 0
  /// The same of the processed output, which has the microphone's offset where no high-pass removes it.
  private(set) var processedMeanSquare: Float = 0
  /// The noise floor of the microphone in dBFS.
  var noiseFloorLevel: Float { noiseFloor.level }

  /// The counts that grow with each frame.
  var flow: SessionStatistics.Flow { current.flow }

  mutating func referenceMissed() { current.flow.referenceFramesMissing += 1 }

  /// Runs per frame: no allocation, lock, log or await.
  mutating func measure(
    microphone: borrowing Frame, processed: borrowing Frame, _ findings: FrameFindings
  ) {
    microphoneMeanSquare = offset.meanSquare(of: microphone)
    processedMeanSquare = offsetOfOutput.meanSquare(of: processed)
    let level = Decibels.level(meanSquare: microphoneMeanSquare)
    noiseFloor.process(level: level)
    current.levels.microphone = level
    current.levels.processed = Decibels.level(meanSquare: processedMeanSquare)
    current.levels.noiseFloor = noiseFloor.level
    current.levels.speechProbability = findings.speechProbability
    current.residualEcho = findings.residualEcho
    current.flow.framesProcessed += 1
  }

  func statistics(_ echo: EchoMetrics, _ mode: MicMode) -> SessionStatistics {
    var statistics = current
    statistics.echo = echo
    statistics.activeMicMode = mode
    return statistics
  }
}

/// Tracks the level that a signal falls back to: down at once, and up by 3 dB a second.
struct NoiseFloorTracker {
  private static let risePerFrame: Float = 0.03  // dB

  private var followed: Float?

  /// The noise floor in dBFS: that of silence until something was heard.
  var level: Float { followed ?? Decibels.silence }

  /// Runs per frame: no allocation, lock, log or await.
  mutating func process(level frameLevel: Float) {
    // Digital silence is a microphone that is off, not a quiet room.
    guard frameLevel > Decibels.silence else { return }
    followed = min(frameLevel, (followed ?? 0) + Self.risePerFrame)
  }
}
