internal import AnechoicAPI
internal import SwiftProtobuf

extension Anechoic_V1_Session {
  /// In a list.
  var line: String {
    [
      name, mute.muted ? "muted" : "live", Words.of(activeMicMode),
      voiceActive ? "talking" : "silent", "by \(owner)", Words.of(labels),
    ].filter { !$0.isEmpty }.joined(separator: "  ")
  }

  /// All that a person may want to know, line by line.
  var page: String {
    var rows = [
      ("session", name), ("owner", "\(owner), since \(Words.date(createTime))"),
      ("microphone", mute.phrase), ("voice", voice), ("mic mode", micMode),
      ("processing", config.voiceProcessing.phrase),
      ("ducking", config.otherAudioDucking.phrase), ("gestures", gestures),
      ("injection", injection), ("last event", "\(lastEventID)"),
    ]
    if hasRoute { rows.append(("route", route.phrase)) }
    if !labels.isEmpty { rows.append(("labels", Words.of(labels))) }
    if hasStats { rows.append(("measured", stats.phrase)) }
    return rows.map { "\($0.padding(toLength: 12))  \($1)" }.joined(separator: "\n")
  }

  private var voice: String {
    if mute.muted { return mutedSpeechActive ? "talking, muted" : "silent" }
    guard config.voiceActivityDetection.enabled else { return "not followed" }
    return voiceActive ? "talking" : "silent"
  }

  private var micMode: String {
    let preferred = Words.of(config.preferredMicMode)
    return activeMicMode == config.preferredMicMode
      ? preferred : "\(Words.of(activeMicMode)), \(preferred) is preferred"
  }

  private var gestures: String {
    let mute = config.mute
    let timeout = "within \(Words.seconds(mute.gestureDecisionTimeout))"
    return Words.of(mute.gesturePolicy)
      + (mute.gesturePolicy == .ask ? " \(timeout)" : "")
      + (mute.chimeDisabled ? ", no chime" : "")
  }

  private var injection: String {
    (injectionAvailable ? "available" : "not available")
      + ", permission \(Words.of(injectionPermission))"
  }
}

extension Anechoic_V1_AudioRoute {
  /// From where to where.
  var phrase: String {
    "\(hasInput ? input.phrase : "no input") > \(hasOutput ? output.phrase : "no output")"
  }
}

extension Anechoic_V1_AudioPort {
  fileprivate var phrase: String {
    let name = displayName.isEmpty ? portID : displayName
    let notes = [
      type == .unspecified ? "" : Words.of(type), headphones ? "headphones" : "",
    ].filter { !$0.isEmpty }
    return notes.isEmpty ? name : "\(name) (\(notes.joined(separator: ", ")))"
  }
}

extension Anechoic_V1_MuteState {
  var phrase: String {
    let origin = source == .unspecified ? "" : " by \(actor) (\(Words.of(source)))"
    return "\(muted ? "muted" : "live")\(origin), generation \(generation)"
  }
}

extension Anechoic_V1_ReportMuteGestureResponse {
  var phrase: String {
    let chime = chimeInPlayback ? "the session sounds the chime" : "the session sounds no chime"
    return "\(Words.of(outcome)): \(state.phrase); \(chime)"
  }
}

extension Anechoic_V1_VoiceProcessing {
  var phrase: String {
    if bypassed { return "bypassed" }
    return [
      "echo cancellation \(stage(echoCancellation.enabled, Words.of(echoCancellation.suppression)))",
      "noise suppression \(stage(noiseSuppression.enabled, Words.of(noiseSuppression.level)))",
      "gain control \(stage(gainControl.enabled, "-\(gainControl.targetLevelDbfs) dBFS"))",
      "high-pass \(Words.of(highPassFilter))",
    ].joined(separator: ", ")
  }

  private func stage(_ isEnabled: Bool, _ level: String) -> String { isEnabled ? level : "off" }
}

extension Anechoic_V1_OtherAudioDucking {
  var phrase: String {
    (level == .unspecified ? "default" : Words.of(level))
      + (advancedDuckingEnabled ? ", more while somebody talks" : "")
  }
}

extension Anechoic_V1_SessionStats {
  var phrase: String {
    var parts = [
      "microphone \(Words.level(levels.microphoneRmsDbfs))",
      "processed \(Words.level(levels.processedRmsDbfs))",
      "noise floor \(Words.level(levels.noiseFloorDbfs))",
    ]
    if echo.hasEchoReturnLossEnhancementDb {
      parts.append("echo \(Words.decibels(-echo.echoReturnLossEnhancementDb))")
    }
    if duckingGainDb != 0 { parts.append("other audio \(Words.decibels(duckingGainDb))") }
    return parts.joined(separator: ", ") + ", \(flow.framesProcessed) frames"
  }
}

extension String {
  fileprivate func padding(toLength length: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, length - count))
  }
}
