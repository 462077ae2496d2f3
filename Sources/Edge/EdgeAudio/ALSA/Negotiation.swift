internal import AudioCore
internal import CALSA
internal import Glibc

/// The negotiation of a device's format: the requested rate and channel count, or the nearest ones
/// that the service supports; interleaved samples; periods of 10 ms.
struct Negotiation: ~Copyable {
  struct Outcome {
    var format: DeviceFormat
    var coding: PCMCoding
  }

  /// A device that offers only more channels than the service supports is opened with all of them.
  /// Only the first ones are used.
  private static let channelCounts = 1...DeviceChannel.largestNumber

  private let pcm: OpaquePointer
  private let name: String
  private let direction: DeviceDirection
  private let wish: DeviceWish
  private let parameters: OpaquePointer

  init(
    _ pcm: OpaquePointer, _ name: String, _ direction: DeviceDirection, _ wish: DeviceWish
  ) throws(DeviceError) {
    self.pcm = pcm
    self.name = name
    self.direction = direction
    self.wish = wish
    var allocated: OpaquePointer?
    guard snd_pcm_hw_params_malloc(&allocated) >= 0, let allocated else {
      throw DeviceError(opening: name, direction.rawValue, code: -ENOMEM)
    }
    parameters = allocated
  }

  deinit { snd_pcm_hw_params_free(parameters) }

  func settled() throws(DeviceError) -> Outcome {
    let code = snd_pcm_hw_params_any(pcm, parameters)
    guard code >= 0 else { throw DeviceError(opening: name, direction.rawValue, code: code) }
    try demand(
      snd_pcm_hw_params_set_access(pcm, parameters, SND_PCM_ACCESS_RW_INTERLEAVED),
      "does not support interleaved access")
    guard
      let coding = PCMCoding.allCases.first(where: {
        snd_pcm_hw_params_set_format(pcm, parameters, $0.alsa) >= 0
      })
    else { throw impossible("does not support S16, S32, FLOAT, S24 or S24_3LE samples") }
    let rate = try settledRate()
    let channelCount = try settledChannelCount()
    var period = snd_pcm_uframes_t(rate.samplesPerFrame)
    var direction: Int32 = 0
    try demand(
      snd_pcm_hw_params_set_period_size_near(pcm, parameters, &period, &direction),
      "does not support periods of about 10 ms")
    var buffer = snd_pcm_uframes_t(rate.samplesPerFrame * wish.periodCount)
    try demand(
      snd_pcm_hw_params_set_buffer_size_near(pcm, parameters, &buffer),
      "does not support a buffer of about \(wish.periodCount * 10) ms")
    try demand(
      snd_pcm_hw_params(pcm, parameters), "does not support this combination of parameters")
    snd_pcm_hw_params_get_period_size(parameters, &period, &direction)
    snd_pcm_hw_params_get_buffer_size(parameters, &buffer)
    var format = DeviceFormat(
      rate: rate, channelCount: channelCount, periodSamples: Int(period),
      bufferSamples: Int(buffer), coding: String(cString: snd_pcm_format_name(coding.alsa)))
    try resolveMap(&format)
    try setThresholds(format)
    return Outcome(format: format, coding: coding)
  }

  private func settledRate() throws(DeviceError) -> SampleRate {
    let others = SampleRate.allCases.sorted { left, right in
      // Prefers a higher rate to a lower one.
      (left < wish.rate ? 1 : 0, left.hertz) < (right < wish.rate ? 1 : 0, right.hertz)
    }
    for rate in [wish.rate] + others {
      if snd_pcm_hw_params_set_rate(pcm, parameters, UInt32(rate.hertz), 0) >= 0 { return rate }
    }
    throw impossible(
      "does not support 8000, 16000, 24000, 32000, 44100 or 48000 Hz, of which the agent needs one; "
        + "use it through ALSA's plug, such as plughw:CARD=NAME")
  }

  private func settledChannelCount() throws(DeviceError) -> Int {
    for count in candidates {
      if snd_pcm_hw_params_set_channels(pcm, parameters, UInt32(count)) >= 0 { return count }
    }
    throw impossible(missingChannel ?? "supports no number of channels from 1 to 32")
  }

  /// Returns the words about a channel of the map that the device does not have, or nil without a
  /// map.
  private var missingChannel: String? {
    let named = wish.map.named
    guard !named.isEmpty else { return nil }
    snd_pcm_hw_params_any(pcm, parameters)
    var most: UInt32 = 0
    snd_pcm_hw_params_get_channels_max(parameters, &most)
    let usual = ChannelPositions(count: min(Int(most), DeviceChannel.largestNumber))
    do throws(MissingChannelError) {
      _ = try (ChannelPositions.possible(pcm).last ?? usual).indices(of: named)
      return
        "does not have all of the channels "
        + "\(named.map(\.description).joined(separator: ", ")) at once"
    } catch {
      return error.description
    }
  }

  /// The numbers of channels to try, in this order. With a map, those that can hold its channels:
  /// two or more first, because ALSA's `plug` would otherwise mix all channels into one.
  private var candidates: [Int] {
    let named = wish.map.named
    guard !named.isEmpty else { return [wish.channelCount] + Array(Self.channelCounts) }
    let possible = ChannelPositions.possible(pcm)
    let fitting = Self.channelCounts.filter { count in
      let known = possible.filter { $0.count == count }
      return (known.isEmpty ? [ChannelPositions(count: count)] : known).contains { positions in
        named.allSatisfy { positions.index(of: $0) != nil }
      }
    }
    return fitting.filter { $0 > 1 } + fitting.filter { $0 == 1 }
  }

  /// Finds the channels of the map in the format of the device.
  private func resolveMap(_ format: inout DeviceFormat) throws(DeviceError) {
    let positions = ChannelPositions(pcm, count: format.channelCount)
    do throws(MissingChannelError) {
      format.mappedChannels = try positions.indices(of: wish.map.channels)
      format.referenceChannels = try positions.indices(of: wish.map.reference)
    } catch {
      throw impossible(error.description)
    }
  }

  /// Sets the device to wake the thread once a period, and to start playback when the buffer is
  /// nearly full.
  private func setThresholds(_ format: DeviceFormat) throws(DeviceError) {
    var software: OpaquePointer?
    guard snd_pcm_sw_params_malloc(&software) >= 0, let software else {
      throw DeviceError(opening: name, direction.rawValue, code: -ENOMEM)
    }
    defer { snd_pcm_sw_params_free(software) }
    snd_pcm_sw_params_current(pcm, software)
    snd_pcm_sw_params_set_avail_min(pcm, software, snd_pcm_uframes_t(format.periodSamples))
    let start = max(format.periodSamples, format.bufferSamples - format.periodSamples)
    snd_pcm_sw_params_set_start_threshold(pcm, software, snd_pcm_uframes_t(start))
    try demand(snd_pcm_sw_params(pcm, software), "does not support the thresholds")
  }

  private func demand(_ code: Int32, _ problem: String) throws(DeviceError) {
    if code == -EINVAL { throw impossible(problem) }
    if code < 0 { throw DeviceError(opening: name, direction.rawValue, code: code) }
  }

  /// Returns the error for a device that does not offer the required format.
  private func impossible(_ problem: String) -> DeviceError {
    snd_pcm_hw_params_any(pcm, parameters)
    var (least, most): (UInt32, UInt32) = (0, 0)
    var direction: Int32 = 0
    snd_pcm_hw_params_get_rate_min(parameters, &least, &direction)
    snd_pcm_hw_params_get_rate_max(parameters, &most, &direction)
    var (few, many): (UInt32, UInt32) = (0, 0)
    snd_pcm_hw_params_get_channels_min(parameters, &few)
    snd_pcm_hw_params_get_channels_max(parameters, &many)
    return DeviceError(
      .unfit,
      "\(self.direction.rawValue) device \"\(name)\": \(problem)"
        + " (it supports \(least)-\(most) Hz, \(few)-\(many) channels)")
  }
}
