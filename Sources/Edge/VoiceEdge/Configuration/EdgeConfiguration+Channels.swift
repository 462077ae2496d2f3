internal import EdgeAudio
internal import Settings

extension EdgeConfiguration.Port {
  /// The channels of the input.
  var inputMap: ChannelMap {
    ChannelMap(
      inputChannels.compactMap(DeviceChannel.init),
      reference: referenceChannels.compactMap(DeviceChannel.init))
  }

  /// The channels of the output.
  var outputMap: ChannelMap { ChannelMap(outputChannels.compactMap(DeviceChannel.init)) }

  /// Whether a loopback, or channels of the input, carry what the loudspeaker plays.
  var hearsLoudspeaker: Bool { loopback != nil || !referenceChannels.isEmpty }

  /// The control that has the jack, or nil if none can be found.
  var jackControl: String? {
    control ?? [output, input].lazy.compactMap { $0 }.compactMap(ALSASystem.control).first
  }
}

extension LayeredValues<EdgeConfiguration.Port> {
  /// The largest number of channels in a map.
  private static let most = 2

  /// Checks the maps of a port together.
  func settleChannels() throws(SettingsError) {
    for (key, channels, device, has) in [
      ("input_channel_map", values.inputChannels, "an input", values.input != nil),
      ("reference_channel_map", values.referenceChannels, "an input", values.input != nil),
      ("output_channel_map", values.outputChannels, "an output", values.output != nil),
    ] where !channels.isEmpty {
      guard has else { throw wrong(key, "needs \(device)") }
      guard channels.count <= Self.most else {
        throw wrong(key, "must name one or two channels, not \(channels.count)")
      }
      if channels.count == 2, channels[0] == channels[1] {
        throw wrong(key, "names channel \(channels[0]) twice")
      }
    }
    if let channel = values.referenceChannels.first(where: values.inputChannels.contains) {
      throw wrong("reference_channel_map", "channel \(channel) is already in input_channel_map")
    }
    guard values.referenceChannels.isEmpty || values.loopback == nil else {
      throw wrong("reference_channel_map", "cannot be set together with loopback")
    }
    guard values.pattern == .none || values.inputChannels.count != 1 else {
      throw wrong("input_channel_map", "must name two channels, because pattern needs them")
    }
  }
}
