internal import AnechoicAPI
internal import SwiftProtobuf

extension Anechoic_V1_Session {
  /// The session in one line.
  var line: String {
    [
      name, state == .suspended ? "suspended" : "", mute.muted ? "muted" : "live",
      Words.of(activeMicMode), voice ?? "", "by \(owner)", Words.of(labels),
    ].filter { !$0.isEmpty }.joined(separator: "  ")
  }

  /// The whole state of the session, line by line.
  var page: String {
    var rows = [
      ("session", name),
      ("owner", owner + (hasCreateTime ? ", since \(Words.date(createTime))" : "")),
      ("state", state == .suspended ? "suspended: the client lost its connection" : "running"),
      ("microphone", mute.phrase), ("voice", voice ?? "not detected"), ("mic mode", micMode),
      ("processing", config.voiceProcessing.phrase(hasReference: echoReference != .none)),
      ("ducking", config.otherAudioDucking.phrase), ("gestures", gestures),
      ("injection", injection), ("last event", "\(lastEventID)"),
    ]
    if config.spatialAudio.enabled || !config.spatialAudio.sources.isEmpty {
      rows.append(("spatial", spatial))
    }
    if hasRoute { rows.append(("route", route.phrase)) }
    if !labels.isEmpty { rows.append(("labels", Words.of(labels))) }
    if hasStats { rows.append(("measured", stats.phrase)) }
    return rows.map { "\($0.padding(toLength: 12))  \($1)" }.joined(separator: "\n")
  }

  /// Whether the person talks, or nil while that is not detected.
  private var voice: String? {
    if mute.muted, !config.mute.mutedTalkerDetectionDisabled {
      return mutedSpeechActive ? "talks while muted" : "quiet"
    }
    guard config.voiceActivityDetection.enabled else { return nil }
    return voiceActive ? "talks" : "quiet"
  }

  private var micMode: String {
    let preferred = Words.of(config.preferredMicMode)
    return activeMicMode == config.preferredMicMode
      ? preferred : "\(Words.of(activeMicMode)) (preferred: \(preferred))"
  }

  private var spatial: String {
    let audio = config.spatialAudio
    let count = audio.sources.count
    return [
      audio.enabled ? "on" : "off", "\(count) place\(count == 1 ? "" : "s")",
      audio.headTracked ? "head tracked" : "",
      !hasStats ? "" : stats.spatialAudioActive ? "heard from the places now" : "mixed down now",
    ].filter { !$0.isEmpty }.joined(separator: ", ")
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

extension Anechoic_V1_ReportMuteGestureResponse {
  var phrase: String {
    let chime = chimeInPlayback ? "the chime is in the playback" : "no chime is in the playback"
    return "\(Words.of(outcome)): \(state.phrase); \(chime)"
  }
}

extension Anechoic_V1_VoiceProcessing {
  func phrase(hasReference: Bool) -> String {
    if bypassed { return "bypassed" }
    return stages(hasReference: hasReference).map { "\($0.name) \($0.setting)" }
      .joined(separator: ", ")
  }

  /// The stages and their settings, in the order in which they process the microphone.
  func stages(hasReference: Bool) -> [(name: String, setting: String)] {
    let suppression = Words.of(echoCancellation.suppression)
    let cancellation =
      hasReference ? suppression : "\(suppression), without effect: the session has no reference"
    return [
      ("echo cancellation", stage(echoCancellation.enabled, cancellation)),
      ("noise suppression", stage(noiseSuppression.enabled, Words.of(noiseSuppression.level))),
      ("gain control", stage(gainControl.enabled, "-\(gainControl.targetLevelDbfs) dBFS")),
      ("high-pass", Words.of(highPassFilter)),
    ]
  }

  private func stage(_ isEnabled: Bool, _ level: String) -> String {
    bypassed ? "bypassed" : isEnabled ? level : "off"
  }
}

extension Anechoic_V1_OtherAudioDucking {
  var phrase: String {
    (level == .unspecified ? "default" : Words.of(level))
      + (advancedDuckingEnabled ? ", fully only while somebody talks" : "")
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
    if hasFarEnd { parts.append("far end buffered \(farEnd.phrase)") }
    if hasOtherAudio { parts.append("other audio buffered \(otherAudio.phrase)") }
    return parts.joined(separator: ", ") + ", \(flow.framesProcessed) frames"
  }
}

extension Anechoic_V1_SessionStats.Buffer {
  fileprivate var phrase: String {
    "\(Words.seconds(delay)) (target \(Words.seconds(target)))"
  }
}

extension String {
  fileprivate func padding(toLength length: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, length - count))
  }
}
