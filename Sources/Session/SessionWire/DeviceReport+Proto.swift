public import AnechoicAPI
internal import SwiftProtobuf
public import VoiceSessions

extension DeviceReport {
  /// Converts a message. Throws for an invalid report. `path` is its path in the request.
  public init(_ report: Anechoic_V1_DeviceReport, path: String) throws(InvalidFieldError) {
    switch report.report {
    case .routeChanged(let change):
      self = .route(try RouteChange(change, path: "\(path).route_changed"))
    case .interruption(let interruption):
      self = .interruption(
        try InterruptionReport(interruption, path: "\(path).interruption"))
    case nil: throw InvalidFieldError(path, "must contain a report")
    }
  }
}

extension RouteChange {
  fileprivate init(_ change: Anechoic_V1_RouteChanged, path: String) throws(InvalidFieldError) {
    let reason: Reason
    switch change.reason {
    case .newDevice: reason = .newDevice
    case .deviceLost: reason = .deviceLost
    case .override: reason = .override
    case .automaticSwitch: reason = .automaticSwitch
    case .noSuitableRoute: reason = .noSuitableRoute
    case .configurationChange: reason = .configurationChange
    case .unspecified: throw InvalidFieldError("\(path).reason", "is required")
    case .UNRECOGNIZED(let value):
      throw InvalidFieldError("\(path).reason", "\(value) is not a known reason")
    }
    guard change.hasCurrent || reason == .noSuitableRoute else {
      throw InvalidFieldError("\(path).current", "is required, except with NO_SUITABLE_ROUTE")
    }
    self.init(
      reason: reason,
      previous: change.hasPrevious
        ? try AudioRoute(change.previous, path: "\(path).previous") : nil,
      current: change.hasCurrent ? try AudioRoute(change.current, path: "\(path).current") : nil)
  }
}

extension AudioRoute {
  fileprivate init(_ route: Anechoic_V1_AudioRoute, path: String) throws(InvalidFieldError) {
    self.init(
      input: route.hasInput ? try AudioPort(route.input, path: "\(path).input") : nil,
      output: route.hasOutput ? try AudioPort(route.output, path: "\(path).output") : nil)
  }
}

extension AudioPort {
  /// The maximum length of an id or a name in bytes.
  private static let longest = 255
  public static let textRule = "must have at most \(longest) bytes, without control characters"

  /// Returns whether a text is valid as an id or a name.
  public static func canBeCalled(_ text: String) -> Bool {
    text.utf8.count <= longest && text.isPlainText
  }

  fileprivate init(_ port: Anechoic_V1_AudioPort, path: String) throws(InvalidFieldError) {
    for (name, text) in [("port_id", port.portID), ("display_name", port.displayName)] {
      guard Self.canBeCalled(text) else {
        throw InvalidFieldError("\(path).\(name)", Self.textRule)
      }
    }
    self.init(
      id: port.portID, displayName: port.displayName, kind: Kind(port.type),
      isHeadphones: port.headphones,
      microphonePair: port.hasMicrophonePair
        ? try .init(port.microphonePair, path: "\(path).microphone_pair") : nil)
  }
}

extension AudioPort.Kind {
  /// Converts a message. An unknown type of a newer client becomes unspecified.
  fileprivate init(_ type: Anechoic_V1_AudioPort.TypeEnum) {
    switch type {
    case .unspecified, .UNRECOGNIZED: self = .unspecified
    case .builtIn: self = .builtIn
    case .usb: self = .usb
    case .bluetooth: self = .bluetooth
    case .hdmi: self = .hdmi
    case .line: self = .line
    case .virtual: self = .virtual
    }
  }
}

extension InterruptionReport {
  fileprivate init(_ report: Anechoic_V1_Interruption, path: String) throws(InvalidFieldError) {
    let reason = try Interruption.Reason(report.reason, path: "\(path).reason")
    guard report.began else {
      self = .ended(reason, shouldResume: report.shouldResume)
      return
    }
    guard let reason else { throw InvalidFieldError("\(path).reason", "is required") }
    self = .began(reason)
  }
}

extension Interruption.Reason {
  /// Converts a message. Returns nil for an unspecified reason.
  fileprivate init?(
    _ reason: Anechoic_V1_Interruption.Reason, path: String
  ) throws(InvalidFieldError) {
    switch reason {
    case .unspecified: return nil
    case .deviceBusy: self = .deviceBusy
    case .hardwareMuted: self = .hardwareMuted
    case .suspended: self = .suspended
    case .otherSession: self = .otherSession
    case .UNRECOGNIZED(let value): throw InvalidFieldError(path, "\(value) is not a known reason")
    }
  }
}

// MARK: To messages

extension Anechoic_V1_RouteChanged {
  init(_ change: RouteChange) {
    self.init()
    switch change.reason {
    case .newDevice: reason = .newDevice
    case .deviceLost: reason = .deviceLost
    case .override: reason = .override
    case .automaticSwitch: reason = .automaticSwitch
    case .noSuitableRoute: reason = .noSuitableRoute
    case .configurationChange: reason = .configurationChange
    }
    if let route = change.previous { previous = Anechoic_V1_AudioRoute(route) }
    if let route = change.current { current = Anechoic_V1_AudioRoute(route) }
  }
}

extension Anechoic_V1_AudioRoute {
  public init(_ route: AudioRoute) {
    self.init()
    if let port = route.input { input = Anechoic_V1_AudioPort(port) }
    if let port = route.output { output = Anechoic_V1_AudioPort(port) }
  }
}

extension Anechoic_V1_AudioPort {
  fileprivate init(_ port: AudioPort) {
    self.init()
    portID = port.id
    displayName = port.displayName
    headphones = port.isHeadphones
    if let pair = port.microphonePair { microphonePair = Anechoic_V1_MicrophonePair(pair) }
    switch port.kind {
    case .unspecified: type = .unspecified
    case .builtIn: type = .builtIn
    case .usb: type = .usb
    case .bluetooth: type = .bluetooth
    case .hdmi: type = .hdmi
    case .line: type = .line
    case .virtual: type = .virtual
    }
  }
}

extension Anechoic_V1_Interruption {
  init(_ interruption: Interruption) {
    self.init()
    switch interruption {
    case .began(let why):
      began = true
      reason = Reason(why)
    case .ended(let why, let shouldResume):
      reason = Reason(why)
      self.shouldResume = shouldResume
    }
  }
}

extension Anechoic_V1_Interruption.Reason {
  fileprivate init(_ reason: Interruption.Reason) {
    switch reason {
    case .deviceBusy: self = .deviceBusy
    case .hardwareMuted: self = .hardwareMuted
    case .suspended: self = .suspended
    case .otherSession: self = .otherSession
    }
  }
}
