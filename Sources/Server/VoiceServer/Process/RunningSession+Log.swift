internal import AnechoicAPI
internal import AudioCore
internal import GRPCTransport
internal import Logging
internal import VoiceEngines
internal import VoiceSessions

/// The lines of the log about a session.
extension RunningSession {
  /// The formats of a session, for the line at its start.
  static func description(of setup: SessionSetup, _ engine: EngineIdentity) -> Logger.Metadata {
    var fields: Logger.Metadata = [
      "engine": "\(engine)", "microphone": "\(name(of: setup.microphone))",
      "pacing": setup.isRealTime ? "real_time" : "media_clock",
    ]
    if let format = setup.reference { fields["reference"] = "\(name(of: format))" }
    if let format = setup.playback { fields["playback"] = "\(name(of: format))" }
    return fields
  }

  /// The quality of a session, for the line at its end.
  static func quality(
    _ statistics: SessionStatistics, lasting time: Duration, slowest: Duration,
    chunksDropped: UInt64
  ) -> Logger.Metadata {
    var fields: Logger.Metadata = [
      "duration_s": "\(Double(time.nanoseconds / 1_000_000) / 1000)",
      "frames": "\(statistics.flow.framesProcessed)",
      "frame_p99_us": "\(slowest.nanoseconds / 1000)",
      "samples_concealed": "\(statistics.flow.samplesConcealed)",
      "reference_missing_frames": "\(statistics.flow.referenceFramesMissing)",
      "output_chunks_dropped": "\(chunksDropped)",
    ]
    if let reduction = statistics.heard.reductionOfSession {
      fields["erle_db"] = "\((reduction * 10).rounded() / 10)"
    }
    return fields
  }

  private static func name(of format: AudioFormat) -> String {
    "\(format.opus == nil ? "\(format.encoding)" : "opus")/\(format.rate.hertz)/\(format.channelCount)"
  }

  /// The name of a reason in logs and metrics.
  static func name(of reason: SessionEvent.EndReason) -> String {
    "\(reason)".snakeCase
  }
}
