internal import AudioCore

/// Turns that begin and end, from the scores of frames.
///
/// A sound begins with the first frame that is no silence, and ends with `soundGapFrames` of
/// silence. While the far end is silent, a voice that is sure starts a turn at once. While the far
/// end talks, a sound is an interruption, a backchannel or no speech, and an interruption starts a
/// turn. A turn that starts in a pause of the far end becomes an interruption when the far end goes
/// on. A turn ends when the network is sure of it in a pause, or after the longest pause.
///
/// The voice activity of the session, which is slower, confirms a turn. Without it a turn is withdrawn:
/// music and noise sound like speech to the network of turns. A turn goes on with a voice that both hear.
struct TurnDecisions {
  enum Event: Equatable {
    /// A turn began at a frame, `interrupts` if the far end talked.
    case started(atFrame: Int64, probability: Float, interrupts: Bool)
    /// The far end has gone on to talk beside the turn that began at a frame.
    case interrupts(atFrame: Int64, probability: Float)
    /// The turn may have ended with the voice before a frame.
    case mayEnd(silentFrom: Int64, probability: Float)
    case continued(atFrame: Int64)
    case ended(silentFrom: Int64, probability: Float)
    /// These two never start a turn. `notSpeech` withdraws a turn that began at the same frame.
    case backchannel(atFrame: Int64, probability: Float)
    case notSpeech(atFrame: Int64, probability: Float)
  }

  /// A sound, from its first frame on.
  private struct Sound {
    var begin: Int64
    var last: Int64
    var frames: Float = 0
    /// The sums of the scores of its frames.
    var voice: Float = 0
    var notSpeech: Float = 0
    /// The mean scores, in which a frame counts less the longer ago it was.
    var late = TurnScores(speech: 0, backchannel: 0, notSpeech: 0, end: 0)
    var isAnnounced = false

    /// Whether the sound is speech that takes the turn from a far end that talks.
    var isInterruption: Bool {
      frames >= leastInterruptionFrames && late.speech >= leastSpeech
    }

    mutating func follow(_ scores: TurnScores, isHeard: Bool) {
      late.speech += lateRate * ((isHeard ? scores.speech : 0) - late.speech)
      late.backchannel += lateRate * ((isHeard ? scores.backchannel : 0) - late.backchannel)
      late.notSpeech += lateRate * ((isHeard ? scores.notSpeech : 0) - late.notSpeech)
      guard isHeard else { return }
      frames += 1
      voice += scores.voice
      notSpeech += scores.notSpeech
    }
  }

  /// A turn, from its first frame on.
  private struct Turn {
    var begin: Int64
    var lastVoice: Int64
    var mayHaveEnded = false
    /// Whether it is sure that the turn is speech.
    var isProven = false
    /// The frame that started it, and whether voice activity has confirmed it.
    let start: Int64
    var isConfirmed: Bool
    /// Whether it began in a pause of the far end, and is no interruption yet.
    var isInPause: Bool
    /// The frames of its voice beside a far end that has gone on since.
    var framesBesideFarEnd = 0
  }

  /// The probability of a sound at which one begins, and the voice that continues a turn.
  private static let heard: Float = 0.5
  /// The frames without a sound that end it.
  private static let soundGapFrames: Int64 = 12
  /// The evidence, in frames of certain voice, that starts a turn while the far end is silent.
  private static let startEvidence: Float = 2.5
  /// The frames of a sound and the mean probability of speech that start a turn while the far end
  /// talks.
  private static let leastInterruptionFrames: Float = 4
  private static let leastSpeech: Float = 0.7
  /// The weight of the newest frame in the mean scores.
  private static let lateRate: Float = 0.3
  /// The longest pause of the far end before a turn that may become an interruption, and the first
  /// frames of the turn in which it may.
  private static let farEndPauseFrames: Int64 = 200
  private static let becomingFrames: Int64 = 300
  /// The frames of voice beside a far end that goes on, before which the scores are those of the
  /// pause.
  private static let leastBesideFarEnd = 15
  /// The first frames of a turn, in which it may prove to be no speech.
  private static let unprovenFrames: Int64 = 60
  private static let provenEvidence: Float = 15
  /// The silence that a pause needs before it may be an end.
  private static let leastPauseFrames: Int64 = 8
  /// The share of the probability of an end at which a turn may have ended.
  private static let mayEndShare: Float = 0.5
  /// The shortest sound that is announced as no speech.
  private static let leastSoundFrames: Float = 3
  /// The frames for which a voice counts as active after it was, and in which a new turn is confirmed.
  private static let activeFrames: Int64 = 30
  private static let confirmingFrames: Int64 = 30
  /// The frames by which voice activity may be later than its voice.
  private static let voiceDelayFrames: Int64 = 10

  private var endProbability: Float = 1
  private var longestPauseFrames: Int64 = 1
  private var frame: Int64
  private var sound: Sound?
  private var turn: Turn?
  private var farEndLastTalked = Int64.min / 2
  private var lastActive = Int64.min / 2
  /// Whether sound without a voice went on after the last turn: the next one needs a voice to start.
  private var isDoubtful = false

  /// Creates decisions whose next frame is `frame`.
  init(_ configuration: SessionConfiguration.Turns, frame: Int64) {
    self.frame = frame
    set(configuration)
  }

  mutating func set(_ configuration: SessionConfiguration.Turns) {
    endProbability = configuration.endProbability
    longestPauseFrames = Int64(max(1, configuration.longestPause.frames))
  }

  /// The end of the present turn, which ends because nothing follows, or nil without a turn.
  var cutOff: Event? { turn.map { .ended(silentFrom: $0.lastVoice + 1, probability: 0) } }

  /// Ends the present turn, because the microphone does not come any more. Returns its end, or nil
  /// without a turn.
  mutating func endCutOff() -> Event? {
    defer { (turn, sound) = (nil, nil) }
    return cutOff
  }

  /// Whether the voice activity of the session has found a voice in the last frames.
  private var isActive: Bool { frame - lastActive <= Self.activeFrames }

  /// `hasVoice` is the voice activity of the session. Runs per frame: no allocation, lock, log or
  /// await.
  mutating func process(_ scores: TurnScores, farEndTalks: Bool, hasVoice: Bool) -> Event? {
    defer { frame += 1 }
    if hasVoice { followVoice() }
    follow(scores)
    if farEndTalks { farEndLastTalked = frame }
    if turn != nil { return becomeInterruption(farEndTalks: farEndTalks) ?? continueTurn(scores) }
    guard let sound else { return nil }
    return farEndTalks ? decideBesideFarEnd(sound) : decide(sound)
  }

  /// Follows the voice that the session has found. Sound before it that was no voice may have gone on for
  /// minutes: the voice is another sound.
  private mutating func followVoice() {
    if isDoubtful { sound = Sound(begin: frame - Self.voiceDelayFrames, last: frame) }
    (lastActive, isDoubtful) = (frame, false)
  }

  /// Follows the sound that goes on.
  private mutating func follow(_ scores: TurnScores) {
    let isHeard = scores.voice + scores.notSpeech >= Self.heard
    if let last = sound?.last, frame - last > Self.soundGapFrames { sound = nil }
    if isHeard, sound == nil { sound = Sound(begin: frame, last: frame) }
    sound?.follow(scores, isHeard: isHeard)
    if isHeard { sound?.last = frame }
  }

  /// Decides about a sound while the far end is silent.
  private mutating func decide(_ sound: Sound) -> Event? {
    if sound.voice >= Self.startEvidence, sound.late.voice > sound.late.notSpeech,
      sound.last == frame, !isDoubtful || isActive
    {
      let probability = sound.late.voice / (sound.late.voice + sound.late.notSpeech)
      return start(sound, probability: probability, interrupts: false)
    }
    return announceNoise(sound)
  }

  /// Decides about a sound while the far end talks.
  private mutating func decideBesideFarEnd(_ sound: Sound) -> Event? {
    if sound.isInterruption, sound.last == frame, !isDoubtful || isActive {
      return start(sound, probability: sound.late.speech, interrupts: true)
    }
    let hasEnded = frame - sound.last == Self.soundGapFrames
    if hasEnded, !sound.isAnnounced, sound.frames >= Self.leastSoundFrames,
      sound.voice > sound.notSpeech
    {
      self.sound?.isAnnounced = true
      return .backchannel(atFrame: sound.begin, probability: sound.voice / sound.frames)
    }
    return announceNoise(sound)
  }

  /// Announces a sound that ended without being speech.
  private mutating func announceNoise(_ sound: Sound) -> Event? {
    guard !sound.isAnnounced, frame - sound.last == Self.soundGapFrames,
      sound.frames >= Self.leastSoundFrames,
      sound.notSpeech > sound.voice
    else { return nil }
    self.sound?.isAnnounced = true
    return .notSpeech(atFrame: sound.begin, probability: sound.notSpeech / sound.frames)
  }

  private mutating func start(_ sound: Sound, probability: Float, interrupts: Bool) -> Event {
    let pause = frame - farEndLastTalked
    turn = Turn(
      begin: sound.begin, lastVoice: frame, start: frame, isConfirmed: isActive,
      isInPause: !interrupts && pause <= Self.farEndPauseFrames)
    self.sound?.isAnnounced = true
    return .started(atFrame: sound.begin, probability: probability, interrupts: interrupts)
  }

  /// Returns the event of a turn that began in a pause of the far end, when the far end goes on and
  /// the person does too.
  private mutating func becomeInterruption(farEndTalks: Bool) -> Event? {
    guard farEndTalks, turn?.isInPause == true, let sound, sound.last == frame else { return nil }
    turn?.framesBesideFarEnd += 1
    guard let present = turn, present.framesBesideFarEnd >= Self.leastBesideFarEnd,
      sound.isInterruption
    else { return nil }
    turn?.isInPause = false
    guard frame - present.begin <= Self.becomingFrames else { return nil }
    turn?.lastVoice = frame
    return .interrupts(atFrame: present.begin, probability: sound.late.speech)
  }

  private mutating func continueTurn(_ scores: TurnScores) -> Event? {
    if let withdrawn = withdraw() ?? withdrawUnconfirmed() { return withdrawn }
    guard let present = turn else { return nil }
    guard scores.voice < Self.heard || present.isConfirmed && !isActive else {
      turn?.lastVoice = frame
      turn?.mayHaveEnded = false
      return present.mayHaveEnded ? .continued(atFrame: frame) : nil
    }
    let pause = frame - present.lastVoice
    let silentFrom = present.lastVoice + 1
    let end = pause >= Self.leastPauseFrames ? scores.end : 0
    if end >= endProbability || pause >= longestPauseFrames {
      turn = nil
      isDoubtful = scores.voice >= Self.heard && !isActive
      // The next turn has a beginning of its own.
      sound = nil
      return .ended(silentFrom: silentFrom, probability: scores.end)
    }
    guard !present.mayHaveEnded, end >= Self.mayEndShare * endProbability else { return nil }
    turn?.mayHaveEnded = true
    return .mayEnd(silentFrom: silentFrom, probability: scores.end)
  }

  /// Ends a turn in which the session has found no voice.
  private mutating func withdrawUnconfirmed() -> Event? {
    guard let present = turn, !present.isConfirmed else { return nil }
    let isActive = isActive
    turn?.isConfirmed = isActive
    guard !isActive, frame - present.start >= Self.confirmingFrames else { return nil }
    (turn, isDoubtful) = (nil, true)
    return .notSpeech(atFrame: present.begin, probability: 1)
  }

  /// Ends a turn that began with a sound which proves to be no speech.
  private mutating func withdraw() -> Event? {
    guard let present = turn, !present.isProven else { return nil }
    guard let sound, sound.begin == present.begin,
      frame - present.begin <= Self.unprovenFrames,
      sound.voice < Self.provenEvidence
    else {
      turn?.isProven = true
      return nil
    }
    guard sound.notSpeech > sound.voice,
      sound.late.notSpeech > sound.late.voice
    else { return nil }
    turn = nil
    return .notSpeech(atFrame: sound.begin, probability: sound.notSpeech / sound.frames)
  }
}
