public import AnechoicAPI
public import AudioCore
public import Foundation
public import SpatialAudio
internal import SwiftProtobuf
public import VoiceEngines
public import VoiceSessions

/// A replay of a recording, with the code of the server and as fast as possible.
public final class SessionReplay {
  /// The result of a replay.
  public struct Outcome: Sendable {
    /// The engine of the replay. It has the name of the recorded engine.
    public let engine: EngineIdentity
    /// Whether the engine also has the version and the weights of the recorded engine.
    public let hasSameEngine: Bool
    /// Whether the session never looked for turns, or did so with the network of the replay. Otherwise the events of
    /// turns may differ. Recordings of the first versions do not tell the network.
    public let hasSameTurnWeights: Bool
    /// Whether named far ends were always rendered with the recorded head-related responses. Otherwise
    /// the playback differs.
    public let hasSameHeadResponses: Bool
    /// The first microphone sample that was withheld because of mute, or nil. The replay uses
    /// silence instead. From there on the output may differ, because the engine learned from audio
    /// that the recording does not contain.
    public let withheldFrom: Int64?
    /// The number of samples of the processed output up to which both outputs are the same as
    /// recorded.
    public let samplesAlike: Int64
    /// The sample of the processed output by which the outputs differ from the recorded ones, or
    /// nil if they do not differ. The first difference is at most one digest earlier.
    public let differsBy: Int64?
    public let digest: Anechoic_V1_OutputDigest
    /// The number of frames of 10 ms, including an incomplete last one.
    public let frames: Int
    /// The fault because of which the replay stopped before the end of the recording, or nil.
    public let fault: RecordingError?
  }

  public let header: Anechoic_V1_RecordingHeader
  public let processed: AudioFormat
  public let playback: AudioFormat?
  public var recognizer: AudioFormat? { requests.setup.recognizer }
  public var raw: AudioFormat? { requests.setup.raw }
  public var microphoneRate: SampleRate { requests.setup.microphone.rate }
  /// The engine that the recording was made with.
  public let recordedEngine: EngineIdentity
  private let engine: any VoiceEngine.Type
  private let requests: SessionRequests
  private let responses: ReplayedResponses
  private let hasher: OutputHasher
  private var reader: RecordingFormat.Reader

  /// Reads the header and creates the session, with the engine that the header names. Throws if the
  /// data is not a recording, if the catalog does not contain the engine, or if the session cannot be
  /// started.
  ///
  /// `profiles` are the listener profiles by their ids. The generic responses take the place of those
  /// that are missing.
  public init(
    _ data: Data, engines: EngineCatalog, profiles: [String: MeasuredResponses] = [:]
  ) throws(RecordingError) {
    reader = try RecordingFormat.Reader(data)
    header = try reader.next(Anechoic_V1_RecordingHeader.self)
    let recorded = EngineIdentity(release: header.engine, weights: header.engineWeightsSha256)
    do throws(UnknownEngineError) {
      engine = try engines.engine(named: recorded.name)
    } catch {
      throw .unknownEngine(recorded, known: error.known)
    }
    recordedEngine = recorded
    do {
      var setup = try SessionSetup(header.start)
      setup.owner = ControlOrigin(header.owner)
      setup.allowsInjection = header.injectionAllowed
      // A recorder writes the mode out. Without one, the recorded version accepted no injection.
      if header.start.config.preferredInjectionMode == .unspecified {
        setup.configuration.acceptsInjection = false
      }
      setup.storesPermissions = header.permissionsStored
      setup.allowsEnrollment = !header.enrollmentForbidden
      let responses = ReplayedResponses(
        profiles, rate: setup.canRender ? setup.playback?.rate : nil)
      self.responses = responses
      setup.headResponses = try responses.set(
        of: setup.configuration.spatial.listenerProfile, recorded: header.headResponsesSha256)
      requests = SessionRequests(
        session: try VoiceSession(setup, engine: engine), setup: setup
      ) { responses.hasProfile($0) }
    } catch {
      throw .impossibleStart("\(error)")
    }
    processed = requests.setup.processed
    playback = requests.setup.playback
    hasher = OutputHasher()
  }

  /// Replays the recording and passes the outputs and events to `sink`. Call it once.
  public func run(sink: any SessionSink) -> Outcome {
    let hashing = HashingSink(hasher, sink)
    hashing.hasTurns = requests.setup.configuration.turns.isEnabled
    var recorded: [Anechoic_V1_OutputDigest] = []
    var withheldFrom: Int64?
    var fault: RecordingError?
    while !reader.isAtEnd, fault == nil {
      do throws(RecordingError) {
        let act = try reader.next(Anechoic_V1_RecordedAct.self)
        if case .digest(let digest) = act.act {
          recorded.append(digest)
          continue
        }
        guard !hashing.hasEnded else { throw .damaged }
        if act.withheldSamples > 0 { withheldFrom = withheldFrom ?? requests.session.position }
        replay(act, sink: hashing)
      } catch {
        fault = error
      }
    }
    if hashing.hasEnded {
      hashing.digests.append(hasher.digest)
      // The recording has a digest for each second, and one at the end.
      let missing = hashing.digests.count - recorded.count
      if missing != 0 { fault = fault ?? (missing > 0 ? .cutOff : .damaged) }
    } else {
      fault = fault ?? .cutOff
      requests.session.end(.clientLost, sink: hashing)
    }
    return outcome(recorded, hashing, withheldFrom, fault)
  }

  /// Applies an act again. An act that the recorded session refused is refused again.
  private func replay(_ recorded: Anechoic_V1_RecordedAct, sink: any SessionSink) {
    switch recorded.act {
    case .profileLookup(let lookup): responses.follow(lookup)
    case .request(let request):
      let request = request.filled(recorded.withheldSamples, format: requests.setup.microphone)
      if accept(request, sink: sink) {
        requests.session.process(atMost: header.turn, sink: sink)
      }
    case .some(let act):
      guard let act = SessionAct(act, responses: responses) else { return }
      requests.session.apply(act, framesPerTurn: header.turn, sink: sink)
    case nil: break
    }
  }

  /// Returns whether the session accepts the request and has audio to process.
  private func accept(_ request: Anechoic_V1_ProcessRequest, sink: any SessionSink) -> Bool {
    guard let bytes: [UInt8] = try? request.serializedBytes() else { return false }
    return bytes.withUnsafeBytes { (try? requests.accept($0, sink: sink)) ?? false }
  }

  private func outcome(
    _ recorded: [Anechoic_V1_OutputDigest], _ replayed: HashingSink, _ withheldFrom: Int64?,
    _ fault: RecordingError?
  ) -> Outcome {
    let made = replayed.digests
    let alike = zip(recorded, made).prefix { $0 == $1 }.count
    let isAlike =
      fault == nil
      ? alike == recorded.count && alike == made.count : alike == min(recorded.count, made.count)
    return Outcome(
      engine: engine.identity, hasSameEngine: engine.identity == recordedEngine,
      hasSameTurnWeights: !replayed.hasTurns || header.hasTurnWeightsOfThisProgram,
      hasSameHeadResponses: responses.areSame, withheldFrom: withheldFrom,
      samplesAlike: alike == 0 ? 0 : made[alike - 1].processedSamples,
      differsBy: isAlike
        ? nil : (made.dropFirst(alike).first ?? hasher.digest).processedSamples,
      digest: hasher.digest, frames: hasher.frames, fault: fault)
  }
}

extension Anechoic_V1_RecordingHeader {
  /// The frames of a turn. Recordings of the first version do not contain the number.
  fileprivate var turn: Int { framesPerTurn == 0 ? 100 : Int(framesPerTurn) }

  /// Whether turns are found by the recorded network. Recordings of the first versions do not name it.
  fileprivate var hasTurnWeightsOfThisProgram: Bool {
    turnWeightsSha256.isEmpty || turnWeightsSha256 == SessionConfiguration.Turns.weights
  }
}

extension Anechoic_V1_ProcessRequest {
  /// Returns the request with silence in place of microphone samples that were withheld.
  fileprivate func filled(_ withheldSamples: UInt32, format: AudioFormat) -> Self {
    guard withheldSamples > 0, case .audio = request else { return self }
    var filled = self
    // The longest chunk has one second.
    filled.audio.microphone.samples = format.silence(
      samples: min(Int(withheldSamples), format.rate.hertz))
    return filled
  }
}

/// A sink that computes the digests of the outputs and passes everything on to another sink.
private final class HashingSink: SessionSink {
  var digests: [Anechoic_V1_OutputDigest] = []
  private(set) var hasEnded = false
  /// Whether the session has ever found turns.
  var hasTurns = false
  private let hasher: OutputHasher
  private let sink: any SessionSink

  init(_ hasher: OutputHasher, _ sink: any SessionSink) {
    self.hasher = hasher
    self.sink = sink
  }

  func emit(_ chunk: OutputChunk) {
    if let digest = hasher.add(chunk) { digests.append(digest) }
    sink.emit(chunk)
  }

  func emit(_ event: SessionEvent) {
    switch event.kind {
    case .ended: hasEnded = true
    case .configurationChanged(let configuration, _):
      hasTurns = hasTurns || configuration.turns.isEnabled
    default: break
    }
    sink.emit(event)
  }

  func emit(_ result: ControlResult) { sink.emit(result) }
  func emit(_ statistics: SessionStatistics) { sink.emit(statistics) }
}
