internal import AnechoicAPI
internal import AudioCore
internal import EdgeAudio
internal import VoiceClient

// The state of the voice thread, by subject.

/// The surroundings of the voice thread.
struct EdgeParts {
  let rings: EdgeRings
  let programs: EdgePrograms
  let slots: FarEndSlots
  let board: StatusBoard
  let mailbox: Mailbox<EdgeVoice>
  /// Sets the gain of other programs in dB; nil restores them. Returns at once.
  let lower: @Sendable (_ gain: Float?) -> Void
}

/// The frames with which the voice thread works, one of each stream.
struct VoiceBuffers: ~Copyable {
  let microphone: Frame
  let reference: Frame
  let farEnd: Frame
  let namedFarEnd: Frame
  let otherAudio: Frame
  /// The processed voice.
  let voice: Frame
  let mix: Frame

  init(_ configuration: EdgeConfiguration) {
    let (audio, programs) = (configuration.audio, configuration.programs)
    microphone = Frame(rate: audio.rate, channelCount: audio.inputChannels)
    reference = Frame(rate: audio.rate, channelCount: audio.outputChannels)
    farEnd = Frame(rate: audio.rate, channelCount: programs.farEndChannels)
    namedFarEnd = Frame(rate: audio.rate, channelCount: 1)
    otherAudio = Frame(rate: audio.rate, channelCount: programs.otherAudioChannels)
    voice = Frame(rate: audio.rate, channelCount: audio.inputChannels)
    mix = Frame(rate: audio.rate, channelCount: audio.outputChannels)
  }
}

/// The places of frames in the timelines of the devices and of the session.
struct VoiceTiming {
  var timeline: CaptureTimeline
  var referenceTimeline: CaptureTimeline
  /// The position of the microphone in the session's timeline.
  var position: Int64 = 0
  var referencePosition: Int64 = 0
  /// The reason of the gap before the next frame.
  var gapBefore = Anechoic_V1_GapReason.unspecified
  /// The number of frames so far.
  var steps = 0
  var latency = LatencyMeter()
  var reports: PlaybackReports

  init(rate: SampleRate) {
    timeline = CaptureTimeline(now: MonotonicClock.nanoseconds)
    referenceTimeline = timeline
    reports = PlaybackReports(samplesPerSecond: rate.hertz)
  }
}

/// The session on the server.
struct ServerSide {
  var link: ServerSession?
  /// Whether the local voice is heard, although there is a session, because the server does not
  /// answer.
  var standsIn = false
  /// The configuration of the session, with which a new one begins. Nil before the first session.
  var kept: KeptConfiguration?
  /// The session that may be continued. Nil while connected, and if there is none.
  var lost: LostSession?
  var lastEventID: UInt64 = 0
  /// The time in ns of the last answer.
  var lastAnswer: Int64 = 0
  /// The position of the microphone from which on the server's output is used.
  var liveFrom: Int64 = 0
  /// The position up to which the server's output was used.
  var heardUntil: Int64 = 0
  /// The changes of the places of named far ends that the session knows of.
  var placesSeen = 0
  /// The clients that ask to speak into the call.
  var injectors = InjectionQuestions()
  /// The answers to them that the session has not confirmed yet, by the ids of their controls.
  var injectionAnswers: [UInt64: InjectionAnswer] = [:]

  /// The voice that VOICE_ISOLATION keeps.
  var voice: EnrolledVoice

  /// The echo path that the last session has learnt, for the next one on the same route.
  var echoPath: (route: String?, path: Anechoic_V1_EchoPath)?

  init(_ configuration: EdgeConfiguration) { voice = EnrolledVoice(configuration) }

  /// Whether the local voice is heard.
  var usesLocal: Bool { link == nil || standsIn }
}

/// The requests to mute and unmute on their way.
struct MuteTraffic {
  var requests = MuteRequests()
  var waits = CaptureWaits()
  /// The last known generation of the session's state.
  var generation: UInt64 = 0
  /// The number of the last control.
  var controlID: UInt64 = 0
  /// The number of the last request for a mute state.
  var lastRequest: UInt64 = 0
  /// Whether the session detects a muted talker.
  var detectsMutedTalker = true
}

/// The devices of the port in use.
struct DevicesInUse {
  var route: Anechoic_V1_AudioRoute?
  /// The ways in which the person has set up the microphones of ports, by the ids of the ports.
  var microphones: [String: MicrophoneSetup] = [:]
  /// The way in which the agent hears the loudspeaker. Nil if it does not.
  var hears: HeardLoudspeaker?
  /// The reasons why the microphone does not run, apart from the switch of the device.
  var interruptions: Set<Anechoic_V1_Interruption.Reason> = []
  /// The strength of the echo suppression that the port sets. Nil for the session's.
  var echoStrength: Anechoic_V1_VoiceProcessing.Level?
}

/// A way in which the agent hears what the loudspeaker plays.
enum HeardLoudspeaker {
  case loopback, referenceChannels
}

/// The chirp tests that need the microphone.
struct ChirpRequests {
  var capture: TestCapture?
  var count = 0

  /// A test listens. Nobody else hears the microphone meanwhile.
  var isRunning: Bool { capture?.isRunning == true }
}
