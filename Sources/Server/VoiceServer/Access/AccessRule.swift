internal import AnechoicAPI
internal import Authentication
internal import GRPCTransport

/// The scope that a method needs, and the sessions that it reaches. docs/security.md has the same
/// table, and a test compares the two.
struct AccessRule: Equatable, Sendable {
  /// The sessions that a client without the scope `admin` reaches with a method.
  enum Reach: String, Sendable {
    /// The method does not name a session of another client.
    case none
    /// For the client, the sessions of other clients do not exist.
    case own
    /// Any session whose name the client knows.
    case any
  }

  let scope: Scope
  let reach: Reach

  /// The rules of all methods that need a principal. The methods of health and reflection need
  /// none.
  static let all: [Method: AccessRule] = [
    Method(service: RPC.voiceProcessing, name: RPC.process): .init(.media, .none),
    Method(service: RPC.voiceProcessing, name: RPC.joinSession): .init(.media, .own),
    Method(service: RPC.voiceProcessing, name: RPC.getCapabilities): .init(.media, .none),
    Method(service: RPC.sessions, name: RPC.listSessions): .init(.read, .own),
    Method(service: RPC.sessions, name: RPC.getSession): .init(.read, .own),
    Method(service: RPC.sessions, name: RPC.watchSession): .init(.read, .own),
    Method(service: RPC.sessions, name: RPC.updateSession): .init(.control, .own),
    Method(service: RPC.sessions, name: RPC.deleteSession): .init(.control, .own),
    Method(service: RPC.sessions, name: RPC.setMute): .init(.control, .own),
    Method(service: RPC.sessions, name: RPC.reportMuteGesture): .init(.control, .own),
    Method(service: RPC.sessions, name: RPC.recordSession): .init(.control, .own),
    Method(service: RPC.sessions, name: RPC.requestInjectionPermission): .init(.inject, .any),
    Method(service: RPC.sessions, name: RPC.getInjectionStatus): .init(.inject, .any),
    Method(service: RPC.sessions, name: RPC.watchInjection): .init(.inject, .any),
    Method(service: RPC.sessions, name: RPC.injectSpeech): .init(.inject, .any),
    Method(service: RPC.routing, name: RPC.arbitrate): .init(.media, .none),
    Method(service: RPC.routing, name: RPC.getRouting): .init(.read, .none),
    Method(service: RPC.routing, name: RPC.chooseHolder): .init(.control, .none),
    Method(service: RPC.profiles, name: RPC.uploadProfile): .init(.media, .none),
    Method(service: RPC.profiles, name: RPC.listProfiles): .init(.media, .own),
    Method(service: RPC.profiles, name: RPC.deleteProfile): .init(.media, .own),
  ]

  /// Returns the rule of a method. A method without a rule is for administrators only.
  static func of(_ method: Method) -> AccessRule { all[method] ?? .init(.admin, .own) }

  private init(_ scope: Scope, _ reach: Reach) {
    self.scope = scope
    self.reach = reach
  }
}
