public import AnechoicAPI
internal import SwiftProtobuf
internal import VoiceEngines
public import VoiceSessions

extension Anechoic_V1_SessionStats {
  /// Creates a message. `jitter` is the jitter of the microphone's arrival, if it is known.
  /// `median` and `slowest` are the 50th and 99th percentile of the time to process a frame.
  public init(
    _ statistics: SessionStatistics, median: Duration, slowest: Duration, jitter: Duration?
  ) {
    self.init()
    echo = .with {
      if let loss = statistics.echo.echoReturnLoss { $0.echoReturnLossDb = loss }
      if let enhancement = statistics.echo.echoReturnLossEnhancement {
        $0.echoReturnLossEnhancementDb = enhancement
      }
      if let delay = statistics.echoDelay { $0.delay = Google_Protobuf_Duration(delay) }
      if let likelihood = statistics.residualEcho { $0.residualEchoLikelihood = likelihood }
      $0.converged = statistics.hasConverged
      $0.referenceActive = statistics.heard.isReferenceActive
      if let reduction = statistics.heard.reduction { $0.heardReductionDb = reduction }
    }
    timing = .with {
      if let drift = statistics.driftPPM { $0.driftPpm = drift }
      if let jitter { $0.jitter = Google_Protobuf_Duration(jitter) }
      $0.frameProcessingP50 = Google_Protobuf_Duration(median)
      $0.frameProcessingP99 = Google_Protobuf_Duration(slowest)
    }
    levels = .with {
      $0.microphoneRmsDbfs = statistics.levels.microphone
      $0.processedRmsDbfs = statistics.levels.processed
      $0.noiseFloorDbfs = statistics.levels.noiseFloor
      $0.speechProbability = statistics.levels.speechProbability
      if let reference = statistics.levels.reference { $0.referenceRmsDbfs = reference }
    }
    flow = .with {
      $0.framesProcessed = statistics.flow.framesProcessed
      $0.samplesConcealed = statistics.flow.samplesConcealed
      $0.referenceFramesMissing = statistics.flow.referenceFramesMissing
      $0.suspensions = statistics.flow.suspensions
    }
    duckingGainDb = statistics.duckingGain
    spatialAudioActive = statistics.isSpatialAudioActive
    if let buffer = statistics.farEnd { farEnd = Buffer(buffer) }
    if let buffer = statistics.otherAudio { otherAudio = Buffer(buffer) }
    activeMicMode = Anechoic_V1_MicMode(statistics.activeMicMode)
    reduced = statistics.isReduced
  }
}

extension Anechoic_V1_SessionStats.Buffer {
  fileprivate init(_ buffer: SessionStatistics.Buffer) {
    self.init()
    delay = Google_Protobuf_Duration(buffer.delay)
    target = Google_Protobuf_Duration(buffer.target)
  }
}
