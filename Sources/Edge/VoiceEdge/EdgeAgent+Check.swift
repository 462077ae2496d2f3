public import EdgeAudio

extension EdgeAgent {
  /// Opens each device of a configuration once, and returns the errors. An error that will not pass
  /// by itself makes waiting useless: a name that ALSA does not know, an unsupported format,
  /// missing permissions.
  public static func deviceErrors(
    _ configuration: EdgeConfiguration, system: any AudioSystem
  ) -> [DeviceError] {
    let audio = configuration.audio
    let programs = configuration.programs
    var wanted: [(String?, DeviceDirection, Int, ChannelMap)] = []
    for port in configuration.routes.ports {
      wanted.append((port.input, .capture, audio.inputChannels, port.inputMap))
      wanted.append((port.output, .playback, audio.outputChannels, port.outputMap))
      wanted.append((port.loopback, .capture, audio.outputChannels, ChannelMap()))
    }
    for (endpoint, direction, channelCount) in [
      (programs.farEnd, DeviceDirection.capture, programs.farEndChannels),
      (programs.otherAudio, .capture, programs.otherAudioChannels),
      (programs.voice, .playback, audio.inputChannels),
    ] {
      wanted.append((endpoint?.device, direction, channelCount, ChannelMap()))
    }
    return wanted.compactMap { name, direction, channelCount, map in
      guard let name else { return nil }
      do throws(DeviceError) {
        _ = try system.openFit(
          name, direction,
          DeviceWish(
            rate: audio.rate, channelCount: channelCount, periodCount: audio.periods, map: map))
        return nil
      } catch {
        return error
      }
    }
  }
}

extension Endpoint {
  /// The name of the device, or nil if the endpoint is not a device.
  var device: String? {
    if case .alsa(let name) = self { name } else { nil }
  }
}
