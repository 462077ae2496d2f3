/// The times of automatic switching.
public struct RoutingTimes: Sendable, Equatable {
  /// The time after the holder of a headset became active, or received the headset, in which a claim of
  /// an equal is refused.
  public var hold = Duration.seconds(2)
  /// The time for which a machine keeps its claim after its activity has ended.
  public var linger = Duration.seconds(2)
  /// The time for which the place of a machine is kept that has lost its connection.
  public var absence = Duration.seconds(10)
  /// The time in which media that was asked to resume has to be heard again, to keep its claim.
  public var resumption = Duration.seconds(5)

  /// Creates the usual times.
  public init() {}
}

/// The limits of a group. They bound the memory and the work that the clients of a server can cause.
public enum RoutingLimits {
  public static let machinesPerGroup = 32
  public static let headsetsPerMachine = 16
  public static let headsetsPerGroup = 64
}
