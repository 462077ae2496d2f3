/// A channel of a device, by its number or by its position.
public enum DeviceChannel: Sendable, Hashable, CustomStringConvertible {
  /// The number of the channel. The first channel is 1.
  case number(Int)
  /// The position of the channel as ALSA calls it, such as `FL` or `LFE`.
  case position(String)

  /// The largest number of a channel.
  public static let largestNumber = 32

  public var description: String {
    switch self {
    case .number(let number): "\(number)"
    case .position(let position): position
    }
  }
}

/// The channels of a device that the agent uses. An empty list stands for the first ones.
public struct ChannelMap: Sendable, Equatable {
  /// The channels of the microphone, or of the left and the right loudspeaker.
  public var channels: [DeviceChannel]
  /// The channels of a microphone's device that carry what the loudspeaker plays.
  public var reference: [DeviceChannel]

  public init(_ channels: [DeviceChannel] = [], reference: [DeviceChannel] = []) {
    self.channels = channels
    self.reference = reference
  }

  /// All channels that the map names.
  var named: [DeviceChannel] { channels + reference }
}

/// The positions of the channels of a device, in their order. Does no I/O.
struct ChannelPositions: Equatable {
  /// The order that ALSA has for devices that report none, by the number of channels.
  private static let usual = [
    1: ["MONO"], 2: ["FL", "FR"], 4: ["FL", "FR", "RL", "RR"],
    6: ["FL", "FR", "RL", "RR", "FC", "LFE"],
    8: ["FL", "FR", "RL", "RR", "FC", "LFE", "SL", "SR"],
  ]

  /// The number of channels.
  let count: Int
  /// The name of each channel. Empty if the positions are not known.
  let names: [String]

  /// Creates the positions that a device reports, or the usual ones of a device that reports none.
  init(count: Int, reported: [String]? = nil) {
    self.count = count
    names = reported ?? Self.usual[count] ?? []
  }

  /// Returns the index of a channel, or nil if the device does not have it.
  func index(of channel: DeviceChannel) -> Int? {
    switch channel {
    case .number(let number): (1...max(1, count)).contains(number) ? number - 1 : nil
    case .position(let position): names.firstIndex(of: position)
    }
  }

  /// Returns the index of each channel. Throws the words about the first one that is missing.
  func indices(of channels: [DeviceChannel]) throws(MissingChannelError) -> [Int] {
    var indices: [Int] = []
    for channel in channels {
      guard let index = index(of: channel) else {
        throw MissingChannelError(channel: channel, positions: self)
      }
      indices.append(index)
    }
    return indices
  }

  var description: String {
    names.isEmpty
      ? "it has \(count) channels without known positions"
      : "it has \(count) channels: \(names.joined(separator: ", "))"
  }
}

/// The problem that a device lacks a channel.
struct MissingChannelError: Error, CustomStringConvertible {
  let channel: DeviceChannel
  let positions: ChannelPositions

  var description: String { "has no channel \(channel); \(positions.description)" }
}
