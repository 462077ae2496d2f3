internal import AnechoicAPI

/// The reason why the microphone is open or closed.
enum MicrophoneUse: Sendable, Equatable {
  /// The configuration keeps the microphone open.
  case always
  /// A session on the server or on this machine processes the voice.
  case session
  /// The microphone is muted, and somebody who talks nevertheless is to be detected.
  case mutedTalker
  /// A test listens for its sound.
  case test
  /// Closed, because the microphone is muted.
  case muted
  /// Closed, because nothing processes the voice, although there is a call.
  case noSession
  /// Closed, because there is no call.
  case noCall

  var isOpen: Bool {
    switch self {
    case .always, .session, .mutedTalker, .test: true
    case .muted, .noSession, .noCall: false
    }
  }

  /// The reason in words.
  var text: String {
    switch self {
    case .always: "the configuration keeps it open"
    case .session: "a session processes the voice"
    case .mutedTalker: "a muted talker is to be detected"
    case .test: "a test listens"
    case .muted: "it is muted"
    case .noSession: "there is no session"
    case .noCall: "there is no call"
    }
  }
}

/// The rule that decides whether the microphone is needed.
struct MicrophoneRule: Sendable, Equatable {
  /// Whether the configuration keeps the microphone open.
  var isAlwaysOpen = false
  var hasCall = true
  /// Whether a session on the server or on this machine processes the voice.
  var hasSession = false
  var mute = EdgeMute(session: false)
  /// Whether the session detects a muted talker.
  var detectsMutedTalker = true
  var isTesting = false

  var use: MicrophoneUse {
    if isAlwaysOpen { return .always }
    if isTesting { return .test }
    guard hasCall else { return .noCall }
    guard hasSession else { return .noSession }
    guard mute.isMuted else { return .session }
    // A capture switch that is off leaves only zeros, in which nobody can be heard.
    return detectsMutedTalker && !mute.hardware ? .mutedTalker : .muted
  }
}

/// The microphone, which may be open only while it is needed.
extension EdgeVoice {
  /// Opens or closes the microphone if the need has changed. Runs per frame: no allocation, lock, log
  /// or await, except after a change.
  func updateMicrophone() {
    let use = MicrophoneRule(
      isAlwaysOpen: configuration.microphone.open == .always,
      hasCall: calls.rule.isOn, hasSession: hasSession, mute: mute,
      detectsMutedTalker: muting.detectsMutedTalker,
      isTesting: chirp.count > 0
    ).use
    guard use != status.microphone else { return }
    status.microphone = use
    parts.rings.openMicrophone(use.isOpen)
    publish()
  }

  /// Whether the sound of the microphone reaches the server or a program.
  var isRecording: Bool {
    guard let use = status.microphone, use.isOpen else { return false }
    return calls.rule.isOn && hasSession && !(mute.isMuted && configuration.mute.audio != .sent)
  }

  /// Follows the settings of the session, which other clients may change.
  func follow(_ settings: Anechoic_V1_SessionConfig) {
    muting.detectsMutedTalker =
      !settings.mute.mutedTalkerDetectionDisabled && configuration.mute.audio != .closed
  }
}
