import AudioCore
import TestAudio
import Testing
import VoiceEngines

@testable import VoiceSessions

/// A session at 16 kHz with the scripted engine. Its input is planes of samples.
final class ScriptedRun {
  static let rate = SampleRate.hz16000
  /// The latency of the scripted engine in samples.
  static let latency = 256
  /// The length of the gate's ramps in samples.
  static let ramp = 80

  let session: VoiceSession
  let sink = RecordingSink()
  private var lastControl: UInt64 = 0

  /// Returns a setup with playback, far end and other audio, all mono at 16 kHz. Injection is off, so that
  /// its availability is no event.
  static func setup(_ change: (inout SessionSetup) -> Void = { _ in }) -> SessionSetup {
    var setup = SessionSetup(microphone: .f32(rate))
    setup.playback = .f32(rate)
    setup.farEnd = .f32(rate)
    setup.otherAudio = .f32(rate)
    setup.configuration.acceptsInjection = false
    change(&setup)
    return setup
  }

  init(
    _ setup: SessionSetup = ScriptedRun.setup(),
    engine: any VoiceEngine.Type = ScriptedEngine.self
  ) throws {
    session = try VoiceSession(setup, engine: engine)
  }

  /// Sends inputs of the same instant together and processes them.
  func send(
    _ microphone: [Float], reference: [Float] = [], farEnd: [Float] = [], otherAudio: [Float] = [],
    at sample: Int64? = nil
  ) throws {
    try append(reference, to: .reference)
    try append(farEnd, to: .farEnd)
    try append(otherAudio, to: .otherAudio)
    try append(microphone, to: .microphone, at: sample)
    session.process(sink: sink)
  }

  /// Sends frames of a constant microphone, which is speech by default.
  func send(
    frames: Int, of value: Float = 0.5, farEnd: Float? = nil, otherAudio: Float? = nil
  ) throws {
    for _ in 0..<frames {
      try send(
        constant(value), farEnd: farEnd.map(constant) ?? [],
        otherAudio: otherAudio.map(constant) ?? [])
    }
  }

  @discardableResult
  func control(
    _ change: SessionControl.Change, at sample: Int64? = nil,
    by origin: ControlOrigin = .mediaClient
  ) -> UInt64 {
    lastControl += 1
    session.submit(
      SessionControl(id: lastControl, atSample: sample, by: origin, change), sink: sink)
    return lastControl
  }

  func mute(_ muted: Bool, at sample: Int64? = nil) {
    control(.mute(muted, ifGeneration: nil), at: sample)
  }

  func configure(_ change: @escaping @Sendable (inout SessionConfiguration) -> Void) {
    control(.edit(change))
  }

  func report(_ report: DeviceReport) { session.submit(report, sink: sink) }

  /// Reports a route whose loudspeaker has this id.
  func route(to id: String, isHeadphones: Bool = false) {
    report(.route(.to(id, isHeadphones: isHeadphones)))
  }

  /// Presses a headset's push button.
  @discardableResult
  func press(_ id: String, mutes: Bool? = nil, isInputRunning: Bool = true) throws(Refusal)
    -> GestureResult?
  {
    if !isInputRunning { session.microphoneStopped(sink: sink) }
    return try session.report(MuteGesture(id: id, mutes: mutes, origin: .headset), sink: sink)
  }

  /// Makes the session accept injection, and grants a client the permission.
  func permitInjection(by client: String) throws {
    configure { $0.acceptsInjection = true }
    _ = try session.requestInjectionPermission(
      for: client, usageDescription: "speaks", sink: sink)
    control(.injectionPermission(client: client, grant: true))
  }

  func inject(_ value: Float, frames: Int, into id: String) {
    let samples = [Float](repeating: value, count: 160 * frames)
    _ = session.inject(InjectedSpeech(processed: samples, playback: samples), into: id)
  }

  func finish() { session.finish(.clientClosed, sink: sink) }

  var processed: [Float] { decode(sink.processed, session.setup.processed)[0] }
  var playback: [Float] { decode(sink.playback, .f32(Self.rate))[0] }

  /// Returns the events for which the condition is true.
  func kinds(_ isWanted: (SessionEvent.Kind) -> Bool) -> [SessionEvent.Kind] {
    sink.kinds.filter(isWanted)
  }

  private func constant(_ value: Float) -> [Float] { [Float](repeating: value, count: 160) }

  private func append(_ samples: [Float], to input: InputKind, at sample: Int64? = nil) throws {
    guard !samples.isEmpty else { return }
    let bytes = encode([samples], .f32)
    try bytes.withUnsafeBytes {
      try session.append($0, to: input, firstSample: sample, gap: .unspecified, sink: sink)
    }
  }
}

extension RouteChange {
  static func to(_ id: String, isHeadphones: Bool = false) -> RouteChange {
    RouteChange(reason: .automaticSwitch, current: .to(id, isHeadphones: isHeadphones))
  }
}

extension AudioRoute {
  static func to(_ id: String, isHeadphones: Bool = false) -> AudioRoute {
    AudioRoute(input: AudioPort(id: "mic"), output: AudioPort(id: id, isHeadphones: isHeadphones))
  }
}

extension ControlOrigin {
  static let headset = ControlOrigin(actor: "headset", isMediaClient: false)
}
