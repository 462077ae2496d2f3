internal import SwiftProtobuf

extension Anechoic_V1_SessionConfig {
  /// Whether an update mask can name this field.
  public static func hasField(_ path: String) -> Bool {
    var config = Self()
    return config.replace(path, from: config)
  }

  /// Replaces the field at `path` by that of `update`, as https://google.aip.dev/134 says: a field that
  /// the update leaves out is cleared.
  ///
  /// - Returns: Whether there is such a field.
  public mutating func replace(_ path: String, from update: Self) -> Bool {
    let (name, rest) = Self.split(path)
    switch (name, rest) {
    case ("voice_processing", nil): voiceProcessing = update.voiceProcessing
    case ("preferred_mic_mode", nil): preferredMicMode = update.preferredMicMode
    case ("other_audio_ducking", nil): otherAudioDucking = update.otherAudioDucking
    case ("mute", nil): mute = update.mute
    case ("voice_activity_detection", nil): voiceActivityDetection = update.voiceActivityDetection
    case ("preferred_injection_mode", nil): preferredInjectionMode = update.preferredInjectionMode
    case ("spatial_audio", nil): spatialAudio = update.spatialAudio
    case ("turn_detection", nil): turnDetection = update.turnDetection
    case ("voice_processing", let rest?):
      return voiceProcessing.replace(rest, from: update.voiceProcessing)
    case ("other_audio_ducking", let rest?):
      return otherAudioDucking.replace(rest, from: update.otherAudioDucking)
    case ("mute", let rest?): return mute.replace(rest, from: update.mute)
    case ("voice_activity_detection", let rest?):
      return voiceActivityDetection.replace(rest, from: update.voiceActivityDetection)
    case ("turn_detection", let rest?):
      return turnDetection.replace(rest, from: update.turnDetection)
    case ("spatial_audio", let rest?): return spatialAudio.replace(rest, from: update.spatialAudio)
    default: return false
    }
    return true
  }

  /// The first name of a path, and what follows its dot; nil without one.
  private static func split(_ path: String) -> (name: Substring, rest: Substring?) {
    guard let dot = path.firstIndex(of: ".") else { return (path[...], nil) }
    return (path[..<dot], path[path.index(after: dot)...])
  }
}

extension Anechoic_V1_VoiceProcessing {
  fileprivate mutating func replace(_ path: Substring, from update: Self) -> Bool {
    switch path {
    case "bypassed": bypassed = update.bypassed
    case "echo_cancellation":
      clearEchoCancellation()
      if update.hasEchoCancellation { echoCancellation = update.echoCancellation }
    case "echo_cancellation.enabled": echoCancellation.enabled = update.echoCancellation.enabled
    case "echo_cancellation.suppression":
      echoCancellation.suppression = update.echoCancellation.suppression
    case "noise_suppression":
      clearNoiseSuppression()
      if update.hasNoiseSuppression { noiseSuppression = update.noiseSuppression }
    case "noise_suppression.enabled": noiseSuppression.enabled = update.noiseSuppression.enabled
    case "noise_suppression.level": noiseSuppression.level = update.noiseSuppression.level
    case "gain_control":
      clearGainControl()
      if update.hasGainControl { gainControl = update.gainControl }
    case "gain_control.enabled": gainControl.enabled = update.gainControl.enabled
    case "gain_control.target_level_dbfs":
      gainControl.targetLevelDbfs = update.gainControl.targetLevelDbfs
    case "high_pass_filter":
      clearHighPassFilter()
      if update.hasHighPassFilter { highPassFilter = update.highPassFilter }
    default: return false
    }
    return true
  }
}

extension Anechoic_V1_OtherAudioDucking {
  fileprivate mutating func replace(_ path: Substring, from update: Self) -> Bool {
    switch path {
    case "advanced_ducking_enabled": advancedDuckingEnabled = update.advancedDuckingEnabled
    case "level": level = update.level
    default: return false
    }
    return true
  }
}

extension Anechoic_V1_MuteSettings {
  fileprivate mutating func replace(_ path: Substring, from update: Self) -> Bool {
    switch path {
    case "gesture_policy": gesturePolicy = update.gesturePolicy
    case "gesture_decision_timeout":
      clearGestureDecisionTimeout()
      if update.hasGestureDecisionTimeout { gestureDecisionTimeout = update.gestureDecisionTimeout }
    case "gesture_decision_timeout.seconds":
      gestureDecisionTimeout.seconds = update.gestureDecisionTimeout.seconds
    case "gesture_decision_timeout.nanos":
      gestureDecisionTimeout.nanos = update.gestureDecisionTimeout.nanos
    case "reject_gesture_on_timeout": rejectGestureOnTimeout = update.rejectGestureOnTimeout
    case "chime_disabled": chimeDisabled = update.chimeDisabled
    case "muted_talker_detection_disabled":
      mutedTalkerDetectionDisabled = update.mutedTalkerDetectionDisabled
    default: return false
    }
    return true
  }
}

extension Anechoic_V1_VoiceActivityDetection {
  fileprivate mutating func replace(_ path: Substring, from update: Self) -> Bool {
    switch path {
    case "enabled": enabled = update.enabled
    case "far_end_enabled": farEndEnabled = update.farEndEnabled
    case "start_window":
      clearStartWindow()
      if update.hasStartWindow { startWindow = update.startWindow }
    case "start_window.seconds": startWindow.seconds = update.startWindow.seconds
    case "start_window.nanos": startWindow.nanos = update.startWindow.nanos
    case "hangover":
      clearHangover()
      if update.hasHangover { hangover = update.hangover }
    case "hangover.seconds": hangover.seconds = update.hangover.seconds
    case "hangover.nanos": hangover.nanos = update.hangover.nanos
    default: return false
    }
    return true
  }
}

extension Anechoic_V1_SpatialAudio {
  fileprivate mutating func replace(_ path: Substring, from update: Self) -> Bool {
    switch path {
    case "enabled": enabled = update.enabled
    case "head_tracked": headTracked = update.headTracked
    case "listener_profile": listenerProfile = update.listenerProfile
    case "sources": sources = update.sources
    case "early_reflections_disabled": earlyReflectionsDisabled = update.earlyReflectionsDisabled
    case "other_audio_mixed_down": otherAudioMixedDown = update.otherAudioMixedDown
    default: return false
    }
    return true
  }
}

extension Anechoic_V1_TurnDetection {
  fileprivate mutating func replace(_ path: Substring, from update: Self) -> Bool {
    switch path {
    case "enabled": enabled = update.enabled
    case "end_probability":
      clearEndProbability()
      if update.hasEndProbability { endProbability = update.endProbability }
    case "longest_pause":
      clearLongestPause()
      if update.hasLongestPause { longestPause = update.longestPause }
    case "longest_pause.seconds": longestPause.seconds = update.longestPause.seconds
    case "longest_pause.nanos": longestPause.nanos = update.longestPause.nanos
    default: return false
    }
    return true
  }
}
