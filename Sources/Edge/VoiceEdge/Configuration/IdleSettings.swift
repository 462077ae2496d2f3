internal import AnechoicAPI
internal import Settings

/// Settings that are set, and have no effect together with the others.
extension LayeredValues<EdgeConfiguration> {
  /// Adds a warning for each of them. The ports must not be completed yet.
  mutating func warnAboutIdleSettings() {
    for (key, reason) in values.idleSettings where isChanged(key) {
      warn(key, "has no effect \(reason)")
    }
    for (part, reason) in values.idleParts {
      warn("session.config", "\(part) has no effect \(reason)")
    }
    for (key, reason) in values.idleFarEnds {
      warn("programs.far_ends", "\(key) has no effect \(reason)")
    }
    for port in values.routes.ports {
      for (key, reason) in port.idleSettings(values) {
        warn("routes.ports", "\(key) of port \(port.id) has no effect \(reason)")
      }
    }
  }

  /// Whether a setting is set to another value than its default.
  private func isChanged(_ key: String) -> Bool {
    guard origin(key) != .defaultValue,
      let setting = EdgeConfiguration.table.settings.first(where: { $0.path == key })
    else { return false }
    return setting.value(in: values) != setting.value(in: EdgeConfiguration.table.defaults)
  }
}

extension EdgeConfiguration {
  /// A key, and the reason why it has no effect, as the end of a sentence.
  typealias Idle = (key: String, reason: String)

  /// The settings that have no effect if they are set.
  var idleSettings: [Idle] {
    if session.join != nil { return idleWithJoin }
    return idleAudio + idlePrograms + idleCalls + idleMute + idleInjection
  }

  /// The settings of a microphone, of programs and of calls: an agent that joins has none.
  private var idleWithJoin: [Idle] {
    let alone = [
      "fallback", "session.id", "session.engine", "session.config", "session.voiceprint",
      "audio.input_channels",
      "audio.reference", "programs.far_end_channels", "programs.spare_far_ends",
      "programs.other_audio_channels",
    ]
    let sections = ["calls.", "microphone.", "mute.", "keys.", "injection.", "routing."]
    return Self.table.settings.map(\.path)
      .filter { path in alone.contains(path) || sections.contains { path.hasPrefix($0) } }
      .map { ($0, "with session.join: the agent only plays") }
  }

  private var idleAudio: [Idle] {
    var idle: [Idle] = [("session.join_buffer_ms", "without session.join")]
    if let reason = idleReference { idle.append(("audio.reference", reason)) }
    if !switching.isOn {
      for key in ["group", "machine", "call"] {
        idle.append(("routing.\(key)", "without routing.headsets"))
      }
    }
    return idle
  }

  /// The reason why `audio.reference` has no effect. Nil if it has one.
  private var idleReference: String? {
    let ports = routes.ports
    switch audio.reference {
    case .automatic, .reports: return nil
    case .tap:
      let keys = Set(ports.compactMap(\.referenceKey)).sorted().joined(separator: " or ")
      return ports.contains { !$0.hearsLoudspeaker }
        ? nil : "because each port has \(keys), which is the reference"
    case .desktop where session.share != nil: return "with session.share: another device plays"
    case .pcm where session.share != nil:
      return "on the server with session.share: another device plays"
    case .desktop, .pcm:
      return ports.contains { $0.output != nil && !$0.headphones && !$0.hearsLoudspeaker }
        ? nil : "because each port has headphones, a reference of its own or no output"
    }
  }

  private var idlePrograms: [Idle] {
    var idle: [Idle] = []
    if programs.farEnd == nil {
      idle.append(("programs.far_end_channels", "without programs.far_end"))
    }
    if programs.otherAudio == nil {
      idle.append(("programs.other_audio_channels", "without programs.other_audio"))
    }
    if programs.desktop == .none {
      idle.append(("programs.desktop_memory", "without programs.desktop"))
    }
    let pausesPlayers =
      switch programs.media {
      case .leave: false
      case .automatic: programs.desktop != .none
      case .pause, .arbiter: true
      }
    let why = programs.media == .leave ? "with programs.media: leave" : "without programs.desktop"
    if !pausesPlayers { idle.append(("programs.media_memory", why)) }
    let notifies = mute.notice.notification.isOn(self) || injection.notification.isOn(self)
    if !pausesPlayers, !notifies {
      idle.append(
        (
          "programs.session_bus",
          "because no player is paused and no notification shown; see programs.media, "
            + "mute.talker_notification and injection.notification"
        ))
    }
    return idle
  }

  private var idleCalls: [Idle] {
    if calls.begin != .automatic {
      return [("calls.applications", "with calls.begin: \(calls.begin.rawValue)")]
    }
    return programs.desktop == .none ? [("calls.applications", "without programs.desktop")] : []
  }

  private var idleMute: [Idle] {
    var idle: [Idle] = []
    let settings = session.configuration.mute
    let undetected: String? =
      mute.audio == .closed
      ? "with mute.muted_audio: closed, which detects nobody"
      : settings.mutedTalkerDetectionDisabled
        ? "with muted_talker_detection_disabled in session.config" : nil
    if let undetected {
      for key in ["notification", "command", "chime"] {
        idle.append(("mute.talker_\(key)", undetected))
      }
    }
    if settings.gesturePolicy != .ask {
      idle.append(
        (
          "mute.gesture_command",
          "unless gesture_policy in session.config is MUTE_GESTURE_POLICY_ASK"
        ))
    }
    if mute.keys.isEmpty {
      for key in HeadsetKey.allCases {
        idle.append(("keys.\(key.rawValue.replacing("-", with: "_"))", "without mute.keys"))
      }
    }
    if mute.keys.isEmpty || !keys.actions.values.contains(.command) {
      let reason = mute.keys.isEmpty ? "without mute.keys" : "because no key has the value command"
      idle.append(("keys.command", reason))
    }
    return idle
  }

  private var idleInjection: [Idle] {
    var idle: [Idle] = []
    if injection.permission != .ask {
      let reason = "with injection.permission: \(injection.permission.rawValue)"
      idle = [("injection.command", reason), ("injection.notification", reason)]
    } else if injection.command != nil {
      idle = [("injection.notification", "with injection.command, which decides")]
    }
    if session.configuration.preferredInjectionMode == .none {
      for key in ["permission", "command", "notification", "remember"] {
        idle.append(
          (
            "injection.\(key)",
            "with preferred_injection_mode: INJECTION_MODE_NONE in session.config"
          ))
      }
    } else if injection.permission == .never {
      idle.append(
        ("injection.remember", "with injection.permission: never: every client is refused anyhow"))
    }
    return idle
  }

  /// The parts of `session.config` that have no effect.
  fileprivate var idleParts: [Idle] {
    guard session.join == nil else { return [] }
    var idle: [Idle] = []
    let settings = session.configuration
    if settings.spatialAudio.enabled {
      if audio.outputChannels == 1 {
        idle.append(("spatial_audio", "with audio.output_channels: 1"))
      } else if !routes.ports.contains(where: { $0.headphones && $0.output != nil }) {
        idle.append(("spatial_audio", "because no port has headphones: true"))
      }
    } else if settings.spatialAudio.headTracked {
      idle.append(("spatial_audio.head_tracked", "without spatial_audio.enabled"))
    }
    if settings.hasOtherAudioDucking, programs.otherAudio == nil, programs.desktop == .none {
      idle.append(
        ("other_audio_ducking", "without programs.other_audio or programs.desktop"))
    }
    if settings.voiceActivityDetection.farEndEnabled, programs.farEnd == nil,
      programs.farEnds.isEmpty, programs.spareFarEnds == 0
    {
      idle.append(("voice_activity_detection.far_end_enabled", "without programs.far_end"))
    }
    return idle + idlePlaces
  }

  /// The places in `session.config` that no far end has, or that `programs.far_ends` replaces.
  private var idlePlaces: [Idle] {
    session.configuration.spatialAudio.sources.map { source in
      let isNamed = programs.farEnds.contains { $0.id == source.farEndID }
      return (
        "the place of \"\(source.farEndID)\" in spatial_audio.sources",
        isNamed
          ? "beside programs.far_ends, which has its place"
          : "because programs.far_ends has no far end of this id"
      )
    }
  }

  /// The keys of the elements of `programs.far_ends` that have no effect.
  fileprivate var idleFarEnds: [Idle] {
    guard session.join == nil, !session.configuration.spatialAudio.enabled else { return [] }
    let reason = "without spatial_audio.enabled in session.config"
    return programs.farEnds.flatMap { farEnd in
      let places = [
        ("azimuth_degrees", farEnd.azimuth != 0), ("elevation_degrees", farEnd.elevation != 0),
        ("distance_meters", farEnd.distance != 1),
      ]
      return places.filter(\.1).map { ("\($0.0) of far end \(farEnd.id)", reason) }
    }
  }
}

extension EdgeConfiguration.Port {
  /// The key that names a reference of the port. Nil if none does.
  fileprivate var referenceKey: String? {
    guard hearsLoudspeaker else { return nil }
    return loopback == nil ? "reference_channel_map" : "loopback"
  }

  fileprivate func idleSettings(_ configuration: EdgeConfiguration) -> [EdgeConfiguration.Idle] {
    var idle: [EdgeConfiguration.Idle] = []
    let onlyPlays = configuration.session.join != nil
    if onlyPlays {
      if input != nil, input != EdgeConfiguration.Port.standard.input {
        idle.append(("input", "with session.join: the agent only plays"))
      }
    } else if pattern != .none {
      if input == nil {
        idle.append(("pattern", "without an input"))
      } else if configuration.audio.inputChannels == 1 {
        idle.append(("pattern", "with audio.input_channels: 1"))
      }
    } else if isTurned {
      idle.append(("turned", "without a pattern"))
    }
    if !onlyPlays, pattern == .none, input == nil || configuration.audio.inputChannels == 1,
      microphoneSpacing != Self.standard.microphoneSpacing
    {
      let reason = input == nil ? "without an input" : "with audio.input_channels: 1"
      idle.append(("microphone_spacing", reason))
    }
    if headphones, output == nil { idle.append(("headphones", "without an output")) }
    if let referenceKey, !onlyPlays {
      if configuration.audio.reference == .reports {
        idle.append((referenceKey, "on the server with audio.reference: reports; use auto"))
      } else if configuration.session.share != nil {
        idle.append((referenceKey, "on the server with session.share: another device plays"))
      }
    }
    if product != nil, configuration.audio.tuning == nil {
      idle.append(("product", "without audio.tuning"))
    }
    return idle
  }
}
