/// Where sound comes in and goes out.
public struct AudioRoute: Sendable, Equatable {
  /// Nil where there is none.
  public var input: AudioPort?
  /// Nil where there is none.
  public var output: AudioPort?

  public init(input: AudioPort? = nil, output: AudioPort? = nil) {
    self.input = input
    self.output = output
  }

  /// Whether nothing that is played can be heard by the microphone.
  var isFreeOfEcho: Bool { output?.isHeadphones ?? false }
}

/// A device's way in or out.
public struct AudioPort: Sendable, Equatable {
  public enum Kind: Sendable, CaseIterable {
    case unspecified, builtIn, usb, bluetooth, hdmi, line, virtual
  }

  /// Stable over reboots and replugging.
  public var id: String
  public var displayName: String
  public var kind: Kind
  /// Whether there is no acoustic path from this output to the input.
  public var isHeadphones: Bool

  public init(
    id: String, displayName: String = "", kind: Kind = .unspecified, isHeadphones: Bool = false
  ) {
    self.id = id
    self.displayName = displayName
    self.kind = kind
    self.isHeadphones = isHeadphones
  }
}

/// A change of the route, as it is reported and as it is told.
public struct RouteChange: Sendable, Equatable {
  public enum Reason: Sendable, CaseIterable {
    case newDevice, deviceLost, override, automaticSwitch, noSuitableRoute
  }

  public var reason: Reason
  /// Nil for none, or one that nobody told of.
  public var previous: AudioRoute?
  /// Nil for none.
  public var current: AudioRoute?

  public init(reason: Reason, previous: AudioRoute? = nil, current: AudioRoute?) {
    self.reason = reason
    self.previous = previous
    self.current = current
  }
}

/// What is known of the route, one report after the other.
struct RouteHistory {
  /// Nil where there is none, or nobody told of one yet.
  private(set) var current: AudioRoute?
  /// Whether the last change was to another port than the last of its direction, and not only away
  /// from one or back to it.
  private(set) var isNewWay = false
  private var isKnown = false
  private var lastPorts = AudioRoute()

  /// Takes in a report.
  ///
  /// - Returns: What has changed by it. What was before the first report only the reporter can say;
  ///   after that what was reported counts. Nil for the same route again.
  mutating func take(_ report: RouteChange) -> RouteChange? {
    var change = report
    if isKnown {
      guard report.current != current else { return nil }
      change.previous = current
    }
    isKnown = true
    current = report.current
    let ports = AudioRoute(
      input: current?.input ?? lastPorts.input, output: current?.output ?? lastPorts.output)
    isNewWay = ports != lastPorts
    lastPorts = ports
    return change
  }
}
