internal import Settings

extension EdgeConfiguration.Port {
  /// The PCM that hears everything that a PCM of a sound server plays, by ALSA's plug-in for
  /// PulseAudio. Nil for another PCM.
  static func monitor(of output: String) -> String? {
    if output == "pulse" { return "pulse:@DEFAULT_MONITOR@" }
    guard output.hasPrefix("pulse:"), output.count > "pulse:".count else { return nil }
    return output + ".monitor"
  }
}

extension LayeredValues<EdgeConfiguration> {
  /// Gives each port that a microphone may hear the PCM of `audio.reference` as loopback, unless
  /// the port names another reference.
  mutating func settleLoopback() {
    guard case .pcm(let name) = values.audio.reference, values.session.join == nil else { return }
    for index in values.routes.ports.indices {
      let port = values.routes.ports[index]
      guard port.output != nil, !port.headphones, !port.hearsLoudspeaker else { continue }
      values.routes.ports[index].loopback = name
    }
  }

  /// Lets the microphones of a desktop cancel the echo of all programs: a loudspeaker of the sound
  /// server has its monitor as loopback, unless the port names another one.
  mutating func settleDesktop() throws(SettingsError) {
    let reference = values.audio.reference
    guard reference == .desktop || reference == .automatic && values.programs.desktop != .none,
      values.session.share == nil, values.session.join == nil
    else { return }
    for index in values.routes.ports.indices {
      let port = values.routes.ports[index]
      guard !port.hearsLoudspeaker, !port.headphones, let output = port.output else { continue }
      // Asked for, the default device of a desktop is that of its sound server.
      let isDefault = reference == .desktop && output == "default"
      values.routes.ports[index].loopback = EdgeConfiguration.Port.monitor(
        of: isDefault ? "pulse" : output)
      guard reference == .automatic || values.routes.ports[index].loopback != nil else {
        throw wrong(
          "audio.reference",
          "desktop needs default, pulse or pulse:NAME as the output of port \(port.id), "
            + "or its loopback"
        )
      }
    }
  }
}
