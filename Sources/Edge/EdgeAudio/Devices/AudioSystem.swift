public import AudioCore

/// The direction of sound through a device.
public enum DeviceDirection: String, Sendable { case capture, playback }

/// The sound devices of a machine. Implementations may be used from any thread.
public protocol AudioSystem: Sendable {
  /// Opens a device for use by one thread. Blocks until the system has answered. Throws a
  /// `DeviceError`.
  func open(
    _ name: String, _ direction: DeviceDirection, _ wish: DeviceWish
  ) throws(DeviceError) -> any PCMDevice

  /// Opens the control of a card or sound server.
  func openControl(_ name: String) throws(DeviceError) -> any DeviceControl

  /// Returns whether the hardware with this name is present, or nil if only opening the device can
  /// tell. If `mayCapture` is false, no device is opened for capture to find this out.
  func isPresent(_ name: String, mayCapture: Bool) -> Bool?

  /// Returns the devices that can be opened by name.
  func devices() throws(DeviceError) -> [DeviceDescription]
}

/// The requested properties of a device. `DeviceFormat` has the actual ones.
public struct DeviceWish: Sendable, Equatable {
  public var rate: SampleRate
  public var channelCount: Int
  /// The size of the device's buffer, in periods of 10 ms.
  public var periodCount: Int
  /// The channels to use.
  public var map: ChannelMap

  public init(
    rate: SampleRate, channelCount: Int, periodCount: Int = 4, map: ChannelMap = ChannelMap()
  ) {
    self.rate = rate
    self.channelCount = channelCount
    self.periodCount = periodCount
    self.map = map
  }
}

/// The actual properties of an open device.
public struct DeviceFormat: Sendable, Equatable, CustomStringConvertible {
  public var rate: SampleRate
  public var channelCount: Int
  /// The length of a period, in samples of each channel.
  public var periodSamples: Int
  public var bufferSamples: Int
  /// The system's name for the sample encoding, such as `S16_LE`.
  public var coding: String
  /// The indices of the channels that the map names. Empty without a map.
  public var mappedChannels: [Int]
  /// The indices of the channels that carry what the loudspeaker plays.
  public var referenceChannels: [Int]

  public init(
    rate: SampleRate, channelCount: Int, periodSamples: Int, bufferSamples: Int, coding: String,
    mappedChannels: [Int] = [], referenceChannels: [Int] = []
  ) {
    self.rate = rate
    self.channelCount = channelCount
    self.periodSamples = periodSamples
    self.bufferSamples = bufferSamples
    self.coding = coding
    self.mappedChannels = mappedChannels
    self.referenceChannels = referenceChannels
  }

  /// The indices of the channels in use: those of the map, and without a map the first one or two.
  public var channels: [Int] {
    mappedChannels.isEmpty ? Array(0..<min(2, channelCount)) : mappedChannels
  }

  public var description: String {
    "\(coding), \(rate.hertz) Hz x \(channelCount), \(periodSamples) of \(bufferSamples) samples"
  }
}

/// A device as `AudioSystem.devices` lists it.
public struct DeviceDescription: Sendable, Equatable {
  public var name: String
  public var summary: String
  public var directions: Set<DeviceDirection>

  public init(name: String, summary: String, directions: Set<DeviceDirection>) {
    self.name = name
    self.summary = summary
    self.directions = directions
  }
}
