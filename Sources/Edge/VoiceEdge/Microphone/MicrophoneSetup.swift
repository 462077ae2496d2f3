internal import AnechoicAPI

/// The way in which the two microphones of a port hear together, as the person has chosen it for
/// the time in which the agent runs.
struct MicrophoneSetup: Sendable, Equatable {
  var pattern: EdgeConfiguration.Port.Pattern
  var isTurned: Bool
}

extension DevicesInUse {
  /// Returns a port as the person has set it up.
  func setUp(_ port: EdgeConfiguration.Port) -> EdgeConfiguration.Port {
    guard let setup = microphones[port.id] else { return port }
    var port = port
    (port.pattern, port.isTurned) = (setup.pattern, setup.isTurned)
    return port
  }
}

extension EdgeVoice {
  /// Sets up the microphones of the port in use. Returns the reason if that is not possible.
  func setUpMicrophone(_ setup: MicrophoneSetup) -> String? {
    guard configuration.audio.inputChannels == 2 else {
      return "the microphone has one channel: audio.input_channels is 1"
    }
    guard let port = configuration.routes.ports.first(where: { $0.id == status.route }),
      port.input != nil
    else { return "the port in use has no microphone" }
    devices.microphones[port.id] = setup
    devices.route = Anechoic_V1_AudioRoute(devices.setUp(port))
    sendRoute(reason: .configurationChange)
    log("microphone: \(setup.pattern.rawValue)\(setup.isTurned ? ", turned" : "")")
    return nil
  }
}

extension Anechoic_V1_MicrophonePair {
  /// The pair of a port, or nil if each of its microphones is a channel.
  init?(_ port: EdgeConfiguration.Port) {
    guard port.pattern != .none else { return nil }
    self.init()
    spacingMillimeters = Float(port.microphoneSpacing)
    turned = port.isTurned
    pattern = port.pattern == .cardioid ? .cardioid : .stereo
  }
}
