/// The input and the output in use.
public struct AudioRoute: Sendable, Equatable {
  /// The input port, or nil where there is none.
  public var input: AudioPort?
  /// The output port, or nil where there is none.
  public var output: AudioPort?

  public init(input: AudioPort? = nil, output: AudioPort? = nil) {
    self.input = input
    self.output = output
  }

  /// Whether no sound gets from the output to the input.
  var isFreeOfEcho: Bool { output?.isHeadphones ?? false }
}

/// An input or output of a device.
public struct AudioPort: Sendable, Equatable {
  public enum Kind: Sendable, CaseIterable {
    case unspecified, builtIn, usb, bluetooth, hdmi, line, virtual
  }

  /// The id, which stays the same after a reboot or replugging.
  public var id: String
  public var displayName: String
  public var kind: Kind
  /// Whether there is no acoustic path from this output to the input.
  public var isHeadphones: Bool
  /// The arrangement of the microphones of an input, or nil for that of the session's start.
  public var microphonePair: MicrophonePair.Layout?

  public init(
    id: String, displayName: String = "", kind: Kind = .unspecified, isHeadphones: Bool = false,
    microphonePair: MicrophonePair.Layout? = nil
  ) {
    self.id = id
    self.displayName = displayName
    self.kind = kind
    self.isHeadphones = isHeadphones
    self.microphonePair = microphonePair
  }

  /// Whether this is the same port, in whatever way it is set up.
  fileprivate func isSame(as other: AudioPort?) -> Bool {
    var same = self
    same.microphonePair = other?.microphonePair
    return same == other
  }
}

/// A change of the route.
public struct RouteChange: Sendable, Equatable {
  public enum Reason: Sendable, CaseIterable {
    case newDevice, deviceLost, override, automaticSwitch, noSuitableRoute, configurationChange
  }

  public var reason: Reason
  /// The route before, or nil for none or an unknown one.
  public var previous: AudioRoute?
  /// The route now, or nil for none.
  public var current: AudioRoute?

  public init(reason: Reason, previous: AudioRoute? = nil, current: AudioRoute?) {
    self.reason = reason
    self.previous = previous
    self.current = current
  }
}

/// The history of the reported routes.
struct RouteHistory {
  /// The route now, or nil where there is none or none was reported.
  private(set) var current: AudioRoute?
  /// Whether the last change selected another port than the last one of its direction. The loss of
  /// a port and its return do not count, nor does a port that is set up anew in a first report. A first
  /// report without a `previous` counts as a change, as its reason says.
  private(set) var isNewWay = false
  private var isKnown = false
  private var lastPorts = AudioRoute()

  /// Handles a report.
  ///
  /// - Returns: The change, or nil for the same route again. The route before the first report is
  ///   that of the report; later it is the last reported one.
  mutating func accept(_ report: RouteChange) -> RouteChange? {
    var change = report
    var keepsPorts = false
    if isKnown {
      guard report.current != current else { return nil }
      change.previous = current
    } else if let previous = report.previous {
      lastPorts = previous
    } else {
      keepsPorts = report.reason == .configurationChange
    }
    isKnown = true
    current = report.current
    let ports = AudioRoute(
      input: current?.input ?? lastPorts.input, output: current?.output ?? lastPorts.output)
    isNewWay =
      !keepsPorts
      && (ports.output != lastPorts.output
        || !(ports.input?.isSame(as: lastPorts.input) ?? (lastPorts.input == nil)))
    lastPorts = ports
    return change
  }
}
