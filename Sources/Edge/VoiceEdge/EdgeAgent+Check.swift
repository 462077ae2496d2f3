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
    var wanted: [(String?, DeviceDirection, Int)] = []
    for port in configuration.routes.ports {
      wanted.append((port.input, .capture, audio.inputChannels))
      wanted.append((port.output, .playback, audio.outputChannels))
      wanted.append((port.loopback, .capture, audio.outputChannels))
    }
    wanted.append((programs.farEnd?.device, .capture, programs.farEndChannels))
    wanted += programs.farEnds.map { ($0.place?.device, .capture, 1) }
    wanted.append((programs.otherAudio?.device, .capture, programs.otherAudioChannels))
    wanted.append((programs.voice?.device, .playback, audio.inputChannels))
    return wanted.compactMap { name, direction, channelCount in
      guard let name else { return nil }
      do throws(DeviceError) {
        _ = try system.openFit(
          name, direction,
          DeviceWish(rate: audio.rate, channelCount: channelCount, periodCount: audio.periods))
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
