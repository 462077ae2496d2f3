internal import AnechoicAPI
internal import SwiftProtobuf

/// Options of a job that are given, and have no effect together with the others.
struct IdleOptions {
  var start: Anechoic_V1_Start
  let files: JobFiles
  /// Whether the person listens with headphones.
  var hasHeadphones = false
  /// Whether the session is on a server that other clients reach.
  var hasServer = false
  var hasStatistics = false
  /// Whether the events of the session are written, which tell when the far end talks.
  var hasEvents = false
  /// Those of the options below that are given.
  var given: Set<String> = []

  static let (statisticsInterval, remembering, granting) = (
    "--stats-interval", "--remember-injection", "--grant-injection"
  )

  /// A warning for each. Controls may change the settings during the job, so a job with controls has
  /// none for those that they may make useful.
  var warnings: [String] {
    (alwaysIdle + (files.controls == nil ? idleWithoutControls : [])).map { option, reason in
      "\(option) has no effect \(reason)"
    }
  }

  private var alwaysIdle: [(option: String, reason: String)] {
    var idle: [(String, String)] = []
    let ducking = start.config.otherAudioDucking
    if files.otherAudio == nil, ducking.level != .unspecified || ducking.advancedDuckingEnabled {
      let option = ducking.advancedDuckingEnabled ? "--advanced-ducking" : "--ducking"
      idle.append((option, "without --other-audio"))
    }
    if files.farEnd != nil, files.playback == nil, !hasEvents {
      idle.append(("--far-end", "on the sound without --playback: nobody hears it"))
    }
    if files.echoPath != nil, files.reference == nil, files.playback == nil {
      idle.append(("--echo-path", "without --reference or --playback: there is no echo to cancel"))
    }
    if hasHeadphones, files.reference == nil, files.playback == nil {
      idle.append(("--headphones", "without --reference or --playback: there is no echo to cancel"))
    }
    if given.contains(Self.statisticsInterval), !hasStatistics {
      idle.append((Self.statisticsInterval, "without --stats"))
    }
    return idle + idleWithoutOthers
  }

  /// The options for what other clients do.
  private var idleWithoutOthers: [(option: String, reason: String)] {
    let injection = [Self.granting, Self.remembering].filter(given.contains)
    guard hasServer else {
      let reason = "without --server: no other client reaches the session"
      let gestures = start.config.mute.gesturePolicy
      let isAsked = gestures != .unspecified && gestures != .apply
      return ((isAsked ? ["--gesture-policy"] : []) + injection).map { ($0, reason) }
    }
    return start.config.preferredInjectionMode == .none
      ? injection.map { ($0, "with --no-injection") } : []
  }

  private var idleWithoutControls: [(option: String, reason: String)] {
    var idle: [(String, String)] = []
    let (config, processing) = (start.config, start.config.voiceProcessing)
    if files.voiceprint != nil, config.preferredMicMode != .voiceIsolation {
      idle.append(("--voiceprint", "without --mic-mode voice-isolation"))
    }
    let isOff = processing.hasEchoCancellation && !processing.echoCancellation.enabled
    for (option, path) in [
      ("--echo-path", files.echoPath), ("--save-echo-path", files.learntEchoPath),
    ] where path != nil && isOff {
      idle.append((option, "with --no-echo-cancellation"))
    }
    if config.spatialAudio.enabled, !hasHeadphones {
      idle.append(
        ("--place or --spatial", "on the direction without --headphones: it is mixed down"))
    }
    if config.spatialAudio.headTracked {
      idle.append(("--head-tracking", "without a head_pose in --controls"))
    }
    return idle
  }
}
