internal import AnechoicAPI
internal import AudioCore
internal import Foundation
internal import SwiftProtobuf

/// The table of `--stats`: a row for each interval of the statistics.
enum StatisticsTable {
  /// A column and its value.
  private typealias Field = (
    column: TableColumn, value: @Sendable (Anechoic_V1_SessionStats) -> TableValue
  )

  private static let framesPerSecond = 100.0

  private static let fields: [Field] =
    [
      real("time_s") { Double($0.flow.framesProcessed) / framesPerSecond },
      level("echo_return_loss_db") {
        $0.echo.hasEchoReturnLossDb ? $0.echo.echoReturnLossDb : nil
      },
      level("echo_return_loss_enhancement_db") {
        $0.echo.hasEchoReturnLossEnhancementDb ? $0.echo.echoReturnLossEnhancementDb : nil
      },
      real("echo_delay_ms") { $0.echo.hasDelay ? milliseconds($0.echo.delay) : nil },
      level("residual_echo_likelihood") {
        $0.echo.hasResidualEchoLikelihood ? $0.echo.residualEchoLikelihood : nil
      },
      truth("echo_converged") { $0.echo.converged },
      real("drift_ppm") { $0.timing.hasDriftPpm ? $0.timing.driftPpm : nil },
      real("jitter_ms") { $0.timing.hasJitter ? milliseconds($0.timing.jitter) : nil },
      real("frame_processing_p50_ms") { milliseconds($0.timing.frameProcessingP50) },
      real("frame_processing_p99_ms") { milliseconds($0.timing.frameProcessingP99) },
      real("input_lag_ms") { $0.timing.hasInputLag ? milliseconds($0.timing.inputLag) : nil },
      real("output_backlog_ms") { milliseconds($0.timing.outputBacklog) },
      level("microphone_dbfs") { $0.levels.microphoneRmsDbfs },
      level("processed_dbfs") { $0.levels.processedRmsDbfs },
      level("noise_floor_dbfs") { $0.levels.noiseFloorDbfs },
      level("speech_probability") { $0.levels.speechProbability },
      count("frames_processed") { $0.flow.framesProcessed },
      count("samples_concealed") { $0.flow.samplesConcealed },
      count("reference_frames_missing") { $0.flow.referenceFramesMissing },
      count("output_chunks_dropped") { $0.flow.outputChunksDropped },
      count("output_samples_dropped") { $0.flow.outputSamplesDropped },
      count("microphone_samples_late") { $0.flow.microphoneSamplesLate },
      count("suspensions") { UInt64($0.flow.suspensions) },
      count("output_samples_lost") { $0.flow.outputSamplesLost },
      (
        TableColumn("mic_mode", .word(longest: 16)),
        { .text(Words.of($0.activeMicMode).replacing(" ", with: "-")) }
      ),
      level("ducking_gain_db") { $0.duckingGainDb },
      real("far_end_buffer_ms") { $0.hasFarEnd ? milliseconds($0.farEnd.delay) : nil },
      real("other_audio_buffer_ms") { $0.hasOtherAudio ? milliseconds($0.otherAudio.delay) : nil },
      truth("reduced") { $0.reduced },
      truth("reference_active") { $0.echo.referenceActive },
      level("heard_reduction_db") {
        $0.echo.hasHeardReductionDb ? $0.echo.heardReductionDb : nil
      },
      real("thread_load") { $0.timing.hasThreadLoad ? $0.timing.threadLoad : nil },
      level("reference_dbfs") {
        $0.levels.hasReferenceRmsDbfs ? $0.levels.referenceRmsDbfs : nil
      },
      truth("spatial_audio_active") { $0.spatialAudioActive },
      real("far_end_target_ms") { $0.hasFarEnd ? milliseconds($0.farEnd.target) : nil },
      real("other_audio_target_ms") {
        $0.hasOtherAudio ? milliseconds($0.otherAudio.target) : nil
      },
    ]

  static let columns = fields.map(\.column)

  static func row(_ stats: Anechoic_V1_SessionStats) -> [TableValue] {
    fields.map { $0.value(stats) }
  }

  private static func real(
    _ name: String, _ value: @escaping @Sendable (Anechoic_V1_SessionStats) -> Double?
  ) -> Field {
    (TableColumn(name, .real), { TableValue(value($0)) })
  }

  private static func level(
    _ name: String, _ value: @escaping @Sendable (Anechoic_V1_SessionStats) -> Float?
  ) -> Field {
    (TableColumn(name, .level), { TableValue(value($0)) })
  }

  private static func count(
    _ name: String, _ value: @escaping @Sendable (Anechoic_V1_SessionStats) -> UInt64
  ) -> Field {
    (TableColumn(name, .integer), { .integer(Int64(clamping: value($0))) })
  }

  private static func truth(
    _ name: String, _ value: @escaping @Sendable (Anechoic_V1_SessionStats) -> Bool
  ) -> Field {
    (TableColumn(name, .truth), { .truth(value($0)) })
  }

  private static func milliseconds(_ duration: Google_Protobuf_Duration) -> Double {
    duration.timeInterval * 1000
  }
}
