/// Who may speak into a session; asked for by clients, decided by the media client.
public struct InjectionPermissions: Sendable, Equatable {
  /// More clients than this may not ask.
  static let mostClients = 64

  private enum Entry: Equatable {
    case undetermined
    case decided(Bool)
  }

  private let isServiceEnabled: Bool
  private var entries: [String: Entry] = [:]

  /// `isServiceEnabled` is the server's switch.
  init(isServiceEnabled: Bool) { self.isServiceEnabled = isServiceEnabled }

  /// What a client has.
  public subscript(client: String) -> InjectionPermission {
    guard isServiceEnabled else { return .serviceDisabled }
    guard case .decided(let isGranted) = entries[client] else { return .undetermined }
    return isGranted ? .granted : .denied
  }

  /// Takes down that a client asks.
  ///
  /// - Returns: Whether the media client has to be asked: not where it was asked before.
  mutating func request(_ client: String) throws(Refusal) -> Bool {
    guard isServiceEnabled, entries[client] == nil else { return false }
    guard entries.count < Self.mostClients else {
      throw Refusal(
        .tooMany, reason: "TOO_MANY_CLIENTS",
        message: "\(Self.mostClients) clients have asked already for permission to inject")
    }
    entries[client] = .undetermined
    return true
  }

  /// Takes the media client's decision, which it may change later.
  ///
  /// - Returns: Whether that changed anything.
  mutating func decide(_ client: String, grant: Bool) throws(Refusal) -> Bool {
    guard let entry = entries[client] else {
      throw Refusal(
        .notFound, reason: "UNKNOWN_CLIENT",
        message: "decide_injection_permission: no such client has asked")
    }
    entries[client] = .decided(grant)
    return entry != .decided(grant)
  }
}

/// Apple's `AVAudioApplication.MicrophoneInjectionPermission`.
public enum InjectionPermission: Sendable { case serviceDisabled, undetermined, denied, granted }
