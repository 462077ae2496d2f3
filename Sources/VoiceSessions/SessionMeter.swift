internal import AudioCore
internal import VoiceEngines

/// Counts and measures what a session does, frame by frame.
struct SessionMeter {
  /// In dB: an echo canceller that takes off so much has found the echo.
  private static let convergedEnhancement: Float = 6

  private var current = SessionStatistics()
  private var noiseFloor = NoiseFloorTracker()

  var frames: UInt64 { current.flow.framesProcessed }

  mutating func concealed(_ samples: Int64) {
    current.flow.samplesConcealed += UInt64(samples)
  }

  mutating func referenceMissed() { current.flow.referenceFramesMissing += 1 }

  /// Runs per frame: no allocation, lock, log or await.
  mutating func measure(
    microphone: borrowing Frame, processed: borrowing Frame, _ findings: FrameFindings
  ) {
    let level = Decibels.level(meanSquare: microphone.meanSquare)
    noiseFloor.process(level: level)
    current.levels.microphone = level
    current.levels.processed = Decibels.level(meanSquare: processed.meanSquare)
    current.levels.noiseFloor = noiseFloor.level
    current.levels.speechProbability = findings.speechProbability
    current.flow.framesProcessed += 1
  }

  func statistics(_ echo: EchoMetrics, _ mode: MicMode) -> SessionStatistics {
    var statistics = current
    statistics.echo = echo
    statistics.hasConverged = (echo.echoReturnLossEnhancement ?? 0) >= Self.convergedEnhancement
    statistics.activeMicMode = mode
    return statistics
  }
}
