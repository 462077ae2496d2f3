internal import AnechoicAPI
internal import AudioCore
internal import Foundation
internal import SessionWire
internal import SwiftProtobuf
internal import VoiceEngines
internal import VoiceSessions

/// Voice processing on this machine. It replaces the server while the server is away, and detects a
/// muted talker whose voice must not leave the machine. Belongs to the voice thread.
final class LocalVoice {
  /// A receiver of the results of a frame. The frames are valid only during the call.
  protocol Receiver: AnyObject {
    func processed(_ frame: borrowing Frame)
    func mixed(_ frame: borrowing Frame)
    func happened(_ event: SessionEvent)
  }

  private let fallback: EdgeConfiguration.Fallback
  private let session: VoiceSession
  private let setup: SessionSetup
  private let sink: LocalSink
  private let silence: Frame
  private let playedSilence: Frame
  private var controlID: UInt64 = 0
  /// The change of the route that the session has not accepted yet, and the last one that it has.
  private var (newRoute, usedRoute): (Anechoic_V1_RouteChanged?, Anechoic_V1_RouteChanged?)
  private let slots: FarEndSlots
  private let settings: Anechoic_V1_SessionConfig
  /// The changes of the places of named far ends that the session knows of.
  private var placesSeen: Int
  /// Whether frames are processed now. The owner sets it.
  var isRunning = false
  /// The time at which the local voice was started last.
  private(set) var startTime = Date.now

  /// Creates the local voice. Throws an error in the settings, or an `EngineError`.
  init(
    _ configuration: EdgeConfiguration, _ slots: FarEndSlots, engine: any VoiceEngine.Type,
    receiver: any Receiver
  ) throws {
    fallback = configuration.fallback
    self.slots = slots
    placesSeen = slots.changes
    settings = configuration.session.configuration
    let audio = configuration.audio
    func format(_ channelCount: Int) -> AudioFormat {
      AudioFormat(encoding: .f32, rate: audio.rate, channelCount: channelCount)
    }
    var session = settings
    session.spatialAudio.sources = slots.sources(besides: session)
    var settings = try SessionConfiguration(session, path: "session")
    if configuration.fallback == .light {
      settings.voiceProcessing.noiseSuppression = .off
      settings.voiceProcessing.gainControl = .off
      settings.voiceProcessing.highPassFilter = true
    }
    // A press that is reported here has already been decided by the command.
    if settings.mute.gesturePolicy == .ask { settings.mute.gesturePolicy = .apply }
    settings.voiceProcessing.isBypassed = configuration.fallback == .passThrough
    var setup = SessionSetup(
      configuration: settings, microphone: format(audio.inputChannels),
      reference: format(audio.outputChannels))
    setup.owner = ControlOrigin(actor: configuration.session.client, isMediaClient: true)
    setup.startsMuted = configuration.mute.startsMuted
    setup.allowsInjection = false
    setup.farEnd = format(configuration.programs.farEndChannels)
    setup.farEnds = slots.ids.map { NamedFarEnd(id: $0, format: format(1)) }
    setup.otherAudio = format(configuration.programs.otherAudioChannels)
    setup.playback = format(audio.outputChannels)
    setup.emitsFrames = true
    self.setup = setup
    self.session = try VoiceSession(setup, engine: engine)
    sink = LocalSink(receiver)
    silence = Frame(rate: audio.rate, channelCount: audio.inputChannels)
    playedSilence = Frame(rate: audio.rate, channelCount: audio.outputChannels)
  }

  var state: SessionState { session.state }

  /// Starts the local voice and discards the old samples in its pipeline.
  func begin(muted: Bool) {
    startTime = .now
    sink.isDiscarding = true
    set(muted: muted)
    applyRoute()
    followPlaces()
    for _ in 0..<6 {
      append(playedSilence, to: .reference, time: nil)
      process(silence, time: nil)
    }
    sink.isDiscarding = false
  }

  func set(muted: Bool, ifGeneration: UInt64? = nil) {
    submit(.mute(muted, ifGeneration: ifGeneration))
  }

  /// Cancels echo as the settings say, if the voice is processed on this machine.
  func cancelEcho(as settings: Anechoic_V1_SessionConfig) {
    guard fallback == .light || fallback == .full,
      let new = try? SessionConfiguration(settings, path: "session")
    else { return }
    submit(
      .configuration { configuration in
        var configuration = configuration
        configuration.voiceProcessing.echoCancellation = new.voiceProcessing.echoCancellation
        return configuration
      })
  }

  /// Hears as the server would: in the direction of a port's two microphones, and without echo from
  /// headphones. Has no effect where the voice is not processed.
  func use(_ route: Anechoic_V1_RouteChanged) {
    guard fallback == .light || fallback == .full else { return }
    newRoute = route.current == usedRoute?.current ? nil : route
    if isRunning { applyRoute() }
  }

  /// Reports the route to the session, unless the session knows the route. A session refuses the
  /// reports of a route that changes often; the report is then repeated with the next frame.
  private func applyRoute() {
    guard let route = newRoute else { return }
    let report = try? DeviceReport(.with { $0.routeChanged = route }, path: "route")
    sink.hasRefused = false
    if let report { session.submit(report, sink: sink) }
    guard !sink.hasRefused else { return }
    (newRoute, usedRoute) = (nil, route)
  }

  /// Mixes the named far ends at the places and with the gains that programs have set meanwhile.
  func followPlaces() {
    guard slots.changes != placesSeen else { return }
    placesSeen = slots.changes
    var settings = settings
    settings.spatialAudio.sources = slots.sources(besides: settings)
    guard let new = try? SessionConfiguration(settings, path: "session") else { return }
    submit(
      .configuration { configuration in
        var configuration = configuration
        configuration.spatial.sources = new.spatial.sources
        return configuration
      })
  }

  private func submit(_ change: SessionControl.Change) {
    controlID += 1
    session.submit(SessionControl(id: controlID, by: setup.owner, change), sink: sink)
  }

  /// Applies a press that has already been accepted. Returns nil if the local session does not run.
  func report(_ gesture: MuteGesture) -> GestureResult? {
    (try? session.report(gesture, sink: sink)) ?? nil
  }

  func append(_ frame: borrowing Frame, to input: InputKind, time: Int64?) {
    // A session refuses only audio that is seconds ahead of the microphone, and this is not.
    try? session.append(frame, to: input, deviceTime: time.map { .nanoseconds($0) }, sink: sink)
  }

  /// Appends a frame of a named far end.
  func append(_ frame: borrowing Frame, toFarEnd index: Int) {
    try? session.append(frame, toFarEnd: index, sink: sink)
  }

  /// Processes 10 ms. Append the other inputs of the same 10 ms before.
  func process(_ microphone: borrowing Frame, time: Int64?) {
    applyRoute()
    append(microphone, to: .microphone, time: time)
    session.process(sink: sink)
  }
}

/// A sink that passes the results of a local session on.
private final class LocalSink: SessionSink {
  var isDiscarding = false
  /// Whether the session has refused a control or report since the owner has cleared this.
  var hasRefused = false
  private weak var receiver: (any LocalVoice.Receiver)?

  init(_ receiver: any LocalVoice.Receiver) { self.receiver = receiver }

  func emit(processed: borrowing Frame, playback: borrowing Frame) {
    guard !isDiscarding, let receiver else { return }
    receiver.processed(processed)
    receiver.mixed(playback)
  }

  func emit(_ chunk: OutputChunk) {}

  func emit(_ event: SessionEvent) {
    if !isDiscarding { receiver?.happened(event) }
  }

  func emit(_ result: ControlResult) { hasRefused = hasRefused || result.refusal != nil }

  func emit(_ statistics: SessionStatistics) {}
}
