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
    var others: [(String?, DeviceDirection, Int)] = [
      (programs.farEnd?.device, .capture, programs.farEndChannels),
      (programs.otherAudio?.device, .capture, programs.otherAudioChannels),
      (programs.voice?.device, .playback, audio.inputChannels),
    ]
    others += programs.farEnds.map { ($0.place?.device, .capture, 1) }
    wanted += others.map { ($0.0, $0.1, $0.2, ChannelMap()) }
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
