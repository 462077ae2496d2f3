public import AnechoicAPI
internal import AudioCore
internal import SwiftProtobuf
public import VoiceEngines
public import VoiceSessions

extension SessionSetup {
  /// Converts a start. Throws for an invalid field, or one that is not offered.
  public init(_ start: Anechoic_V1_Start) throws(InvalidFieldError) {
    let (inputs, outputs) = (start.inputs, start.outputs)
    guard inputs.hasMicrophone else {
      throw InvalidFieldError("start.inputs.microphone", "is required")
    }
    self.init(
      configuration: try SessionConfiguration(start.config, path: "start.config"),
      microphone: try AudioFormat(input: inputs.microphone, path: "start.inputs.microphone"),
      reference: inputs.hasReference
        ? try AudioFormat(input: inputs.reference, path: "start.inputs.reference") : nil,
      processed: outputs.hasProcessed
        ? try AudioFormat(output: outputs.processed, path: "start.outputs.processed") : nil)
    startsMuted = start.muted
    if inputs.hasMicrophonePair {
      let path = "start.inputs.microphone_pair"
      guard microphone.channelCount == 2 else {
        throw InvalidFieldError(path, "requires a microphone with 2 channels")
      }
      microphonePair = try MicrophonePair.Layout(inputs.microphonePair, path: path)
    }
    switch start.pacing {
    case .unspecified, .realTime: isRealTime = true
    case .mediaClock: isRealTime = false
    case .UNRECOGNIZED(let value):
      throw InvalidFieldError("start.pacing", "\(value) is not a known pacing")
    }
    if inputs.hasFarEnd {
      farEnd = try AudioFormat(input: inputs.farEnd, path: "start.inputs.far_end")
    }
    if inputs.hasOtherAudio {
      guard outputs.hasPlayback else {
        throw InvalidFieldError(
          "start.inputs.other_audio", "requires start.outputs.playback")
      }
      otherAudio = try AudioFormat(input: inputs.otherAudio, path: "start.inputs.other_audio")
    }
    farEnds = try Self.farEnds(inputs.farEnds, hasPlayback: outputs.hasPlayback)
    if outputs.hasPlayback {
      playback = try AudioFormat(output: outputs.playback, path: "start.outputs.playback")
    }
    if outputs.playbackElsewhere {
      guard outputs.hasPlayback else {
        throw InvalidFieldError(
          "start.outputs.playback_elsewhere", "requires start.outputs.playback")
      }
      guard !inputs.hasReference else {
        throw InvalidFieldError(
          "start.inputs.reference", "must be absent with start.outputs.playback_elsewhere")
      }
      playsElsewhere = true
    }
    if outputs.hasRecognizer {
      recognizer = try AudioFormat(output: outputs.recognizer, path: "start.outputs.recognizer")
    }
    if outputs.hasRaw {
      raw = try AudioFormat(output: outputs.raw, path: "start.outputs.raw")
    }
    framesPerChunk = try Self.framesPerChunk(
      outputs, hasOpus: self.outputs.contains { $0.opus != nil })
    if start.hasEchoPathHint {
      echoPathHint = try EchoPath(start.echoPathHint, path: "start.echo_path_hint")
    }
    tellsEchoPath = start.echoPathWanted
    if start.hasVoiceprint {
      voiceprint = try Voiceprint(start.voiceprint, path: "start.voiceprint")
    }
    enrollsVoice = start.enrollVoice
    framesPerStatistics = try start.statsInterval.asStatisticsInterval(
      path: "start.stats_interval")?.frames
  }

  /// Returns the number of frames in a chunk. With an Opus output, a chunk is a packet.
  private static func framesPerChunk(
    _ outputs: Anechoic_V1_Start.Outputs, hasOpus: Bool
  ) throws(InvalidFieldError) -> Int {
    guard outputs.hasChunkDuration else { return hasOpus ? OpusSettings.defaultPacketFrames : 1 }
    let path = "start.outputs.chunk_duration"
    let duration = try Duration(outputs.chunkDuration, path: path)
    guard chunkFrames.contains(duration.frames), duration == .milliseconds(duration.frames * 10)
    else { throw InvalidFieldError(path, "must be 10 to 120 ms in steps of 10 ms") }
    guard !hasOpus || OpusSettings.packetFrames.contains(duration.frames) else {
      throw InvalidFieldError(path, "must be 10, 20, 40 or 60 ms if an output is Opus")
    }
    return duration.frames
  }

  private static func farEnds(
    _ farEnds: [Anechoic_V1_Start.Inputs.FarEnd], hasPlayback: Bool
  ) throws(InvalidFieldError) -> [NamedFarEnd] {
    let path = "start.inputs.far_ends"
    guard farEnds.count <= SpatialSettings.largestSourceCount else {
      throw InvalidFieldError(
        path,
        "has \(farEnds.count) far ends; at most \(SpatialSettings.largestSourceCount) are allowed")
    }
    guard farEnds.isEmpty || hasPlayback else {
      throw InvalidFieldError(path, "requires start.outputs.playback")
    }
    var ids: Set<String> = []
    var named: [NamedFarEnd] = []
    for (index, farEnd) in farEnds.enumerated() {
      try FarEndID.check(farEnd.farEndID, among: &ids, path: "\(path)[\(index)].far_end_id")
      let format = try AudioFormat(input: farEnd.format, path: "\(path)[\(index)].format")
      named.append(NamedFarEnd(id: farEnd.farEndID, format: format))
    }
    return named
  }
}

extension Anechoic_V1_Started {
  /// Creates the answer to a start, with every default filled in.
  public init(
    sessionID: String, _ setup: SessionSetup, _ state: SessionState, _ delays: OutputDelays,
    engine: EngineIdentity
  ) {
    self.init()
    session = "sessions/\(sessionID)"
    config = Anechoic_V1_SessionConfig(state.configuration.resolved)
    mute = Anechoic_V1_MuteState(state.mute)
    inputs = Anechoic_V1_Start.Inputs(setup)
    outputs = Anechoic_V1_Start.Outputs(setup)
    algorithmicDelay = Google_Protobuf_Duration(delays.processed)
    playbackDelay = Google_Protobuf_Duration(delays.playback)
    if let delay = delays.recognizer { recognizerDelay = Google_Protobuf_Duration(delay) }
    if let delay = delays.raw { rawDelay = Google_Protobuf_Duration(delay) }
    self.engine = Anechoic_V1_Engine(engine)
  }
}

extension Anechoic_V1_Start.Inputs {
  /// The formats of a session's inputs.
  public init(_ setup: SessionSetup) {
    self.init()
    microphone = Anechoic_V1_AudioFormat(setup.microphone)
    if let pair = setup.microphonePair { microphonePair = .init(pair) }
    if let reference = setup.reference { self.reference = Anechoic_V1_AudioFormat(reference) }
    if let farEnd = setup.farEnd { self.farEnd = Anechoic_V1_AudioFormat(farEnd) }
    if let otherAudio = setup.otherAudio { self.otherAudio = Anechoic_V1_AudioFormat(otherAudio) }
    farEnds = setup.farEnds.map { farEnd in
      .with {
        $0.farEndID = farEnd.id
        $0.format = Anechoic_V1_AudioFormat(farEnd.format)
      }
    }
  }
}

extension Anechoic_V1_Start.Outputs {
  /// The formats of a session's outputs, with every default filled in.
  public init(_ setup: SessionSetup) {
    self.init()
    processed = Anechoic_V1_AudioFormat(output: setup.processed)
    if let playback = setup.playback { self.playback = Anechoic_V1_AudioFormat(output: playback) }
    if let format = setup.recognizer { recognizer = Anechoic_V1_AudioFormat(output: format) }
    if let format = setup.raw { raw = Anechoic_V1_AudioFormat(output: format) }
    chunkDuration = Google_Protobuf_Duration(.milliseconds(setup.framesPerChunk * 10))
    playbackElsewhere = setup.playsElsewhere
  }
}
