internal import AudioCore
internal import SpatialAudio
internal import VoiceEngines

/// The playback side of a session: mixes the far end, ducked other audio, the chime and injected
/// speech, and keeps the sum within full scale.
struct PlaybackSide: ~Copyable {
  /// The last 10 ms of the mix.
  let mix: Frame
  private var farEnd: FarEnd?
  private var farEnds: FarEnds?
  private let hasOtherAudio: Bool
  private var otherAudio: OtherAudio?
  private var chime: Chime
  private var ducker: Ducker
  private var limiter: Limiter
  private var framesSinceFarEnd = PlaybackSide.farEndHoldFrames
  private var settings: (ducking: SessionConfiguration.Ducking, spatial: SpatialSettings)
  /// The parts of the next frame before the last change of these settings.
  private var duckingShare: Float = 0
  private var spatialShare: Float = 0

  /// A far end that was silent for this many frames no longer plays. Pauses between words are
  /// shorter.
  private static let farEndHoldFrames = 100

  init(_ setup: SessionSetup, _ engine: any VoiceEngine.Type) throws {
    let format = setup.playback ?? setup.farEnd ?? setup.processed
    let isElastic = setup.isRealTime
    let farEnd = try setup.farEnd.map {
      try FarEnd($0, playback: format, isElastic: isElastic, engine)
    }
    let farEnds = setup.farEnds.isEmpty ? nil : try FarEnds(setup, playback: format, engine)
    let otherAudio = try setup.otherAudio.map {
      try OtherAudio(
        $0, playback: format, isElastic: isElastic, setup.headResponses,
        setup.configuration.spatial)
    }
    hasOtherAudio = setup.otherAudio != nil
    mix = Frame(rate: format.rate, channelCount: format.channelCount)
    chime = Chime(rate: format.rate)
    ducker = Ducker(setup.configuration.ducking)
    settings = (setup.configuration.ducking, setup.configuration.spatial)
    limiter = Limiter(rate: format.rate)
    if setup.farEnd != nil || !setup.farEnds.isEmpty {
      farEndVoice = VoiceActivityDetector(setup.configuration.voiceActivity)
    }
    self.farEnd = farEnd
    self.farEnds = farEnds
    self.otherAudio = otherAudio
  }

  /// Whether the far end was audible within the last second.
  var farEndPlays: Bool { framesSinceFarEnd < Self.farEndHoldFrames }

  /// Whether the far end is heard in this frame, or nil without a far end. Mutating for the reason of
  /// `CaptureSide.hasResidualEcho`.
  var farEndIsAudible: Bool? {
    mutating get {
      guard farEnd != nil || farEnds != nil else { return nil }
      return farEnd?.input.isAudible ?? false || farEnds?.areAudible ?? false
    }
  }

  /// The voice activity of the far end, or nil without a far end.
  private(set) var farEndVoice: VoiceActivityDetector?

  /// Fills in the statistics of the ducking and the buffers.
  mutating func fill(_ statistics: inout SessionStatistics) {
    statistics.duckingGain = hasOtherAudio ? ducker.gain : 0
    statistics.farEnd = farEnd?.input.buffer
    statistics.otherAudio = otherAudio?.input.buffer
    statistics.isSpatialAudioActive =
      farEnds?.isRendered ?? false || otherAudio?.isRendered ?? false
  }

  /// Appends samples of the far end.
  ///
  /// - Returns: How many samples were missing before them.
  mutating func appendFarEnd(
    _ samples: InputSamples, firstSample: Int64?
  ) throws(InputError) -> Int64 {
    try farEnd?.input.append(samples, firstSample: firstSample) ?? 0
  }

  /// Appends samples of a named far end.
  ///
  /// - Returns: How many samples were missing before them.
  func appendFarEnd(
    _ samples: InputSamples, to index: Int, firstSample: Int64?
  ) throws(InputError) -> Int64 {
    try farEnds?.append(samples, to: index, firstSample: firstSample) ?? 0
  }

  /// Appends samples of the other audio.
  ///
  /// - Returns: How many samples were missing before them.
  mutating func appendOtherAudio(
    _ samples: InputSamples, firstSample: Int64?
  ) throws(InputError) -> Int64 {
    try otherAudio?.append(samples, firstSample: firstSample) ?? 0
  }

  /// Applies new settings of the far ends and the other audio after a `share` of the next frame. Far ends
  /// move to other places during the whole frame.
  mutating func apply(_ configuration: SessionConfiguration, after share: Float) {
    if configuration.ducking != settings.ducking { duckingShare = share }
    if configuration.spatial != settings.spatial { spatialShare = share }
    settings = (configuration.ducking, configuration.spatial)
    farEnds?.apply(configuration.spatial)
    otherAudio?.apply(configuration.spatial)
    farEndVoice?.set(configuration.voiceActivity)
  }

  /// Renders with other responses.
  mutating func useHeadResponses(_ responses: HeadRelatedSet) {
    farEnds?.useHeadResponses(responses)
    otherAudio?.useHeadResponses(responses)
  }

  /// Starts a chime, after the one that sounds already.
  mutating func sound(_ kind: Chime.Kind) { chime.start(kind) }

  /// Moves the inputs on by 10 ms and listens to the far ends.
  /// Runs per frame: no allocation, lock, log or await.
  mutating func advance(_ configuration: SessionConfiguration) -> VoiceActivityDetector.Change? {
    farEnd?.input.advance()
    farEnds?.advance()
    otherAudio?.advance()
    let isListenedTo =
      configuration.voiceActivity.isFarEndEnabled
      || hasOtherAudio && configuration.ducking.isAdvanced
    let isSilent = (farEnd?.input.isSilent ?? true) && (farEnds?.areSilent ?? true)
    framesSinceFarEnd = isSilent ? min(framesSinceFarEnd + 1, Self.farEndHoldFrames) : 0
    let hasVoice = isListenedTo && hasFarEndVoice()
    return farEndVoice?.process(hasVoice: hasVoice)
  }

  private mutating func hasFarEndVoice() -> Bool {
    // Both detectors hear each frame.
    let (one, others) = (farEnd?.hasVoice() ?? false, farEnds?.hasVoice() ?? false)
    return one || others
  }

  /// Makes the mix of the frames that `advance` brought. `head` is the head of a listener who hears sounds
  /// where they are.
  /// Runs per frame: no allocation, lock, log or await.
  ///
  /// - Returns: The change of the ducking gain that begins with this frame.
  mutating func process(
    nearEndTalks: Bool, head: HeadPose?, _ configuration: SessionConfiguration,
    _ injections: borrowing InjectionQueue
  ) -> Ducker.Change? {
    mix.clear()
    farEnd?.input.add(to: mix)
    let changeSample = Int((spatialShare * Float(mix.sampleCount)).rounded())
    farEnds?.add(to: mix, head: head, change: changeSample)
    var change: Ducker.Change?
    if hasOtherAudio {
      change = ducker.process(
        nearEndTalks: nearEndTalks, farEndTalks: farEndVoice?.isActive ?? false,
        configuration.ducking, after: duckingShare)
      otherAudio?.add(
        to: mix, ducker.path, head: configuration.spatial.mixesOtherAudio ? nil : head,
        change: changeSample)
    }
    (duckingShare, spatialShare) = (0, 0)
    chime.add(to: mix)
    if injections.isHeard {
      mix.add(injections.playback, from: injections.firstGain, to: injections.lastGain)
    }
    limiter.process(mix)
    return change
  }

  /// Ends the voice of the far end.
  mutating func endFarEndVoice() -> VoiceActivityDetector.Change? { farEndVoice?.end() }

  /// Keeps only the newest samples of all inputs until they are played again.
  mutating func rest() {
    farEnd?.input.rest()
    farEnds?.rest()
    otherAudio?.rest()
  }

  /// Drops all samples of all inputs that wait behind a `share` of the next frame, with a fade of 5 ms.
  mutating func clear(after share: Float) {
    farEnd?.input.clear(after: share)
    farEnds?.clear(after: share)
    otherAudio?.clear(after: share)
  }
}

/// The other side of the call, with the detector of its voice.
private struct FarEnd: ~Copyable {
  var input: PlaybackInput
  private var voice: FarEndVoice

  init(
    _ format: AudioFormat, playback: AudioFormat, isElastic: Bool, _ engine: any VoiceEngine.Type
  ) throws {
    let input = try PlaybackInput(format, playback: playback, isElastic: isElastic)
    voice = try FarEndVoice(format, engine)
    self.input = input
  }

  /// Runs per frame: no allocation, lock, log or await.
  mutating func hasVoice() -> Bool { voice.isHeard(in: input.frame) }
}
