public import AudioCore

/// Which way sound goes through a device.
public enum DeviceDirection: String, Sendable { case capture, playback }

/// The sound devices of a machine.
public protocol AudioSystem: Sendable {
  /// Opens a device for one thread. Blocks for as long as the system takes.
  func open(
    _ name: String, _ direction: DeviceDirection, _ wish: DeviceWish
  ) throws(DeviceError) -> any PCMDevice

  /// Opens the mixer of a card or sound server.
  func openControl(_ name: String) throws(DeviceError) -> any DeviceControl

  /// Whether the hardware that a name stands for is there; nil where only opening it can tell.
  func isPresent(_ name: String) -> Bool?

  /// What can be named.
  func devices() throws(DeviceError) -> [DeviceDescription]
}

/// What is asked of a device that is opened; what it is then is in its `DeviceFormat`.
public struct DeviceWish: Sendable, Equatable {
  public var rate: SampleRate
  public var channelCount: Int
  /// Periods of 10 ms in its buffer.
  public var periodCount: Int

  public init(rate: SampleRate, channelCount: Int, periodCount: Int = 4) {
    self.rate = rate
    self.channelCount = channelCount
    self.periodCount = periodCount
  }
}

/// What an opened device works with.
public struct DeviceFormat: Sendable, Equatable, CustomStringConvertible {
  public var rate: SampleRate
  public var channelCount: Int
  /// In samples of each channel.
  public var periodSamples: Int
  public var bufferSamples: Int
  /// As the system calls it, such as `S16_LE`.
  public var coding: String

  public init(
    rate: SampleRate, channelCount: Int, periodSamples: Int, bufferSamples: Int, coding: String
  ) {
    self.rate = rate
    self.channelCount = channelCount
    self.periodSamples = periodSamples
    self.bufferSamples = bufferSamples
    self.coding = coding
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
