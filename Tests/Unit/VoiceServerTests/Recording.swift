import AnechoicAPI
import AudioCore
import GRPCTransport
import VoiceClient

/// Everything that a session sent.
struct Recording: Sendable {
  var started = Anechoic_V1_Started()
  var processed: [UInt8] = []
  var playback: [UInt8] = []
  var recognizer: [UInt8] = []
  var raw: [UInt8] = []
  var firstSamples: [Int64] = []
  var frames: [Anechoic_V1_FrameInfo] = []
  var events: [Anechoic_V1_SessionEvent] = []
  var results: [Anechoic_V1_ControlResult] = []
  var statistics: [Anechoic_V1_SessionStats] = []
  var echoPaths: [Anechoic_V1_EchoPath] = []
  var voiceprints: [Anechoic_V1_Voiceprint] = []
  /// The status of the call. Nil for OK.
  var status: Status?

  mutating func record(_ response: Anechoic_V1_ProcessResponse) {
    switch response.response {
    case .started(let started): self.started = started
    case .audio(let audio):
      processed.append(contentsOf: audio.processed.samples)
      playback.append(contentsOf: audio.playback.samples)
      recognizer.append(contentsOf: audio.recognizer.samples)
      raw.append(contentsOf: audio.raw.samples)
      firstSamples.append(audio.processed.firstSample)
      frames.append(contentsOf: audio.frames)
    case .event(let event): events.append(event)
    case .controlResult(let result): results.append(result)
    case .stats(let stats): statistics.append(stats)
    case .echoPath(let path): echoPaths.append(path)
    case .voiceprint(let voiceprint): voiceprints.append(voiceprint)
    case nil: break
    }
  }

  var hasContiguousEvents: Bool { events.map(\.eventID) == Array(1...UInt64(events.count)) }

  var endReason: Anechoic_V1_SessionEnded.Reason? {
    guard case .sessionEnded(let ended) = events.last?.event else { return nil }
    return ended.reason
  }

  /// The starts and ends of speech.
  var voiceChanges: [Anechoic_V1_VoiceActivityChanged] {
    events.compactMap { event in
      guard case .voiceActivityChanged(let change) = event.event else { return nil }
      return change
    }
  }
}

extension TestServer {
  /// Runs a whole session, sending and receiving at the same time.
  func record(
    _ start: Anechoic_V1_Start, _ requests: [Anechoic_V1_ProcessRequest]
  ) async throws -> Recording {
    let stream = try await client.process(start)
    async let sending: Void = Self.send(requests, on: stream)
    var recording = Recording()
    recording.started = stream.started
    while let response = try await stream.receive() { recording.record(response) }
    try await sending
    return recording
  }

  /// Runs a whole session with one input.
  func record(
    _ start: Anechoic_V1_Start, microphone: [UInt8], _ format: AudioFormat = .s16
  ) async throws -> Recording {
    try await record(start, Anechoic_V1_ProcessRequest.audio(microphone: microphone, format))
  }

  private static func send(
    _ requests: [Anechoic_V1_ProcessRequest], on stream: ProcessStream
  ) async throws {
    for request in requests {
      switch request.request {
      case .audio(let audio): try await stream.send(audio)
      case .control(let control): try await stream.send(control)
      case .deviceReport(let report): try await stream.send(report)
      case .headPose(let pose): try await stream.send(pose)
      default: break
      }
    }
    stream.finish()
  }
}
