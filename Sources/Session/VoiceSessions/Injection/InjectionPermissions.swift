/// The permissions to inject speech into a session. Clients request them and the media client decides.
public struct InjectionPermissions: Sendable, Equatable {
  /// Requests of more clients than this are refused.
  static let mostClients = 64

  private enum Entry: Equatable {
    case undetermined
    case decided(Bool)
  }

  /// Whether the server allows injection. While it does not, the decisions are kept.
  var isServiceEnabled: Bool
  private var entries: [String: Entry] = [:]
  /// The clients that were decided about while the server did not allow injection.
  private var decidedMeanwhile: Set<String> = []

  /// Creates permissions without requests. `isServiceEnabled` is false where the server forbids injection.
  init(isServiceEnabled: Bool) { self.isServiceEnabled = isServiceEnabled }

  /// The permission of a client.
  public subscript(client: String) -> InjectionPermission {
    guard isServiceEnabled else { return .serviceDisabled }
    guard case .decided(let isGranted) = entries[client] else { return .undetermined }
    return isGranted ? .granted : .denied
  }

  /// Whether a client waits for a decision.
  public func isUndecided(_ client: String) -> Bool { entries[client] == .undetermined }

  /// Records the request of a client. `stored` is the decision of another session, or nil.
  ///
  /// - Returns: Whether the media client has to be asked. With a stored decision, whether that decides.
  mutating func request(_ client: String, stored: Bool? = nil) throws(Refusal) -> Bool {
    let isNews = entries[client] == nil || isUndecided(client) && stored != nil
    guard isServiceEnabled, isNews else { return false }
    try enter(client, stored.map { .decided($0) } ?? .undetermined)
    return true
  }

  /// Applies the media client's decision, which it may make before the client asks, and change later.
  ///
  /// - Returns: Whether the permission changed.
  mutating func decide(_ client: String, grant: Bool) throws(Refusal) -> Bool {
    guard entries[client] != .decided(grant) else { return false }
    // It cannot inject, and a denial can always be stored.
    guard grant || hasRoom(for: client) else { return false }
    try enter(client, .decided(grant))
    if !isServiceEnabled { decidedMeanwhile.insert(client) }
    return true
  }

  /// Returns the clients that were decided about while the server did not allow injection, and forgets
  /// them.
  mutating func popDecidedMeanwhile() -> [String] {
    defer { decidedMeanwhile = [] }
    return decidedMeanwhile.sorted()
  }

  private func hasRoom(for client: String) -> Bool {
    entries[client] != nil || entries.count < Self.mostClients
  }

  private mutating func enter(_ client: String, _ entry: Entry) throws(Refusal) {
    guard hasRoom(for: client) else {
      throw Refusal(
        .tooMany, reason: "TOO_MANY_CLIENTS",
        message: "this session already knows \(Self.mostClients) clients that may inject or not")
    }
    entries[client] = entry
  }
}

/// Apple's `AVAudioApplication.MicrophoneInjectionPermission`.
public enum InjectionPermission: Sendable { case serviceDisabled, undetermined, denied, granted }
