internal import AnechoicAPI
internal import AudioCore
internal import GRPCTransport
internal import SessionWire
internal import SwiftProtobuf
internal import VoiceEngines
internal import VoiceSessions

/// A secret with which a client continues its session, or another device joins it.
typealias SecretToken = [UInt8]

extension SecretToken {
  private static let size = 16

  /// Returns a new token.
  static func make() -> SecretToken {
    var random = SystemRandomNumberGenerator()
    return (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
  }
}

/// The right of a client to continue its session after it has lost its connection.
struct Resumption: Sendable {
  let token: SecretToken
  /// The time for which the session waits for its client.
  let window: Duration

  /// Creates a resumption with a new token. Returns nil if the server or the client wants none.
  /// Throws if the client wants an impossible window.
  init?(_ start: Anechoic_V1_Start, _ limits: AdmissionLimits) throws(InvalidFieldError) {
    var window = limits.resumeWindow
    if start.hasResumeWindow {
      let wanted = try Duration(start.resumeWindow, path: "start.resume_window")
      guard wanted >= .zero else {
        throw InvalidFieldError("start.resume_window", "must be 0 or more")
      }
      window = min(wanted, window)
    }
    guard window > .zero else { return nil }
    self.window = window
    token = SecretToken.make()
  }
}

/// The point at which a client continues its session.
struct ResumePoint: Sendable {
  var lastEventID: UInt64?
  var processedSamples: Int64?
  var microphoneSample: Int64?

  init(_ point: Anechoic_V1_Start.ResumePoint) throws(InvalidFieldError) {
    if point.hasLastEventID { lastEventID = point.lastEventID }
    if point.hasProcessedSamples {
      processedSamples = try Self.index(point.processedSamples, "processed_samples")
    }
    if point.hasMicrophoneSample {
      microphoneSample = try Self.index(point.microphoneSample, "microphone_sample")
    }
  }

  private static func index(_ value: Int64, _ field: String) throws(InvalidFieldError) -> Int64 {
    guard value >= 0 else { throw .resumePoint(field, "must be 0 or more") }
    return value
  }
}

extension InvalidFieldError {
  static func resumePoint(_ field: String, _ problem: String) -> InvalidFieldError {
    InvalidFieldError("start.resume_point.\(field)", problem)
  }
}

extension SessionHandle {
  /// Throws the first field in which the start of a client that resumes differs from the first start.
  func checkResumes(_ start: Anechoic_V1_Start, _ other: SessionSetup) throws(InvalidFieldError) {
    func check(_ isSame: Bool, _ field: String) throws(InvalidFieldError) {
      guard isSame else {
        throw InvalidFieldError("start.\(field)", "differs from the first start of the session")
      }
    }
    try check(start.engine.isEmpty || start.engine == engine.name, "engine")
    try check(start.sessionID.isEmpty || start.sessionID == id, "session_id")
    try check(other.microphone == setup.microphone, "inputs.microphone")
    try check(other.microphonePair == setup.microphonePair, "inputs.microphone_pair")
    try check(other.reference == setup.reference, "inputs.reference")
    try check(other.farEnd == setup.farEnd, "inputs.far_end")
    try check(other.farEnds == setup.farEnds, "inputs.far_ends")
    try check(other.otherAudio == setup.otherAudio, "inputs.other_audio")
    try check(other.processed == setup.processed, "outputs.processed")
    try check(other.playback == setup.playback, "outputs.playback")
    try check(other.recognizer == setup.recognizer, "outputs.recognizer")
    try check(other.raw == setup.raw, "outputs.raw")
    try check(other.playsElsewhere == setup.playsElsewhere, "outputs.playback_elsewhere")
    try check(other.framesPerChunk == setup.framesPerChunk, "outputs.chunk_duration")
    try check(other.isRealTime == setup.isRealTime, "pacing")
    try check(other.framesPerStatistics == setup.framesPerStatistics, "stats_interval")
    try check(other.tellsEchoPath == setup.tellsEchoPath, "echo_path_wanted")
  }
}
