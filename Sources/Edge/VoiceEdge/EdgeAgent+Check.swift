public import EdgeAudio

/// A device of the configuration that cannot be opened.
public struct DeviceProblem: Sendable, CustomStringConvertible {
  /// The path of the setting that names the device.
  public let key: String
  /// The port or far end of a list, and the error.
  public let description: String
  public let error: DeviceError

  fileprivate init(_ key: String, _ part: String?, _ error: DeviceError) {
    (self.key, self.error) = (key, error)
    description = (part.map { "\($0): " } ?? "") + error.description
  }
}

extension EdgeAgent {
  /// A device of the configuration, and the setting that names it.
  private struct Wanted {
    let key: String
    let part: String?
    let device: String?
    let direction: DeviceDirection
    let channelCount: Int
    var map = ChannelMap()
  }

  /// Opens each device of a configuration once, and returns the errors. An error that will not pass
  /// by itself makes waiting useless: a name that ALSA does not know, an unsupported format,
  /// missing permissions.
  public static func deviceErrors(
    _ configuration: EdgeConfiguration, system: any AudioSystem
  ) -> [DeviceProblem] {
    let audio = configuration.audio
    return wanted(configuration).compactMap { wanted in
      guard let name = wanted.device else { return nil }
      do throws(DeviceError) {
        _ = try system.openFit(
          name, wanted.direction,
          DeviceWish(
            rate: audio.rate, channelCount: wanted.channelCount, periodCount: audio.periods,
            map: wanted.map))
        return nil
      } catch {
        return DeviceProblem(wanted.key, wanted.part, error)
      }
    }
  }

  private static func wanted(_ configuration: EdgeConfiguration) -> [Wanted] {
    let audio = configuration.audio
    let ports = configuration.routes.ports.flatMap { port in
      let isReference = port.loopback != nil && audio.reference == .pcm(port.loopback ?? "")
      return [
        Wanted(
          key: port.key("input"), part: port.part("input"), device: port.input,
          direction: .capture, channelCount: audio.inputChannels, map: port.inputMap),
        Wanted(
          key: port.key("output"), part: port.part("output"), device: port.output,
          direction: .playback, channelCount: audio.outputChannels, map: port.outputMap),
        Wanted(
          key: isReference ? "audio.reference" : port.key("loopback"),
          part: isReference ? nil : port.part("loopback"), device: port.loopback,
          direction: .capture, channelCount: audio.outputChannels),
      ]
    }
    return ports
      + configuration.programPlaces.map {
        Wanted(
          key: $0.key, part: $0.name == $0.key ? nil : $0.name, device: $0.endpoint.device,
          direction: $0.direction, channelCount: $0.channelCount)
      }
  }
}

extension EdgeConfiguration.Port {
  private var isOfCommandLine: Bool { id == Self.commandLineID }

  /// Returns the path of the setting that has a key of the port.
  fileprivate func key(_ key: String) -> String {
    isOfCommandLine ? "routes.\(key)" : "routes.ports"
  }

  /// Returns the words for a key among those of all ports.
  fileprivate func part(_ key: String) -> String? {
    isOfCommandLine ? nil : "the \(key) of port \(id)"
  }
}

extension Endpoint {
  /// The name of the device, or nil if the endpoint is not a device.
  var device: String? {
    if case .alsa(let name) = self { name } else { nil }
  }
}
