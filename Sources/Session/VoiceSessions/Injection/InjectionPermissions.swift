/// The permissions to inject speech into a session. Clients request them and the media client decides.
public struct InjectionPermissions: Sendable, Equatable {
  /// Requests of more clients than this are refused.
  static let mostClients = 64

  private enum Entry: Equatable {
    case undetermined
    /// `isStored` is whether the decision comes from another session.
    case decided(Bool, isStored: Bool)
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
    return decision(about: client).map { $0 ? .granted : .denied } ?? .undetermined
  }

  /// Whether a decision that another session stores counts for a client: it waits for one, or has one
  /// from the store.
  public func followsStore(_ client: String) -> Bool {
    switch entries[client] {
    case .undetermined, .decided(_, isStored: true): true
    case .decided(_, isStored: false), nil: false
    }
  }

  /// Records the request of a client. `stored` is the decision of another session, or nil. It may differ
  /// from the one that was stored before.
  ///
  /// - Returns: Whether the media client has to be asked. With a stored decision, whether that decides.
  mutating func request(_ client: String, stored: Bool? = nil) throws(Refusal) -> Bool {
    guard let stored else {
      guard isServiceEnabled, entries[client] == nil else { return false }
      try enter(client, .undetermined)
      return true
    }
    let before = decision(about: client)
    guard isServiceEnabled || before != nil, before != stored,
      entries[client] == nil || followsStore(client)
    else { return false }
    try enter(client, .decided(stored, isStored: true))
    recordIfMeanwhile(client)
    return true
  }

  /// Applies the media client's decision, which it may make before the client asks, and change later.
  ///
  /// - Returns: Whether the permission changed.
  mutating func decide(_ client: String, grant: Bool) throws(Refusal) -> Bool {
    // It cannot inject, and a denial can always be stored.
    guard grant || hasRoom(for: client) else { return false }
    let before = decision(about: client)
    try enter(client, .decided(grant, isStored: false))
    guard before != grant else { return false }
    recordIfMeanwhile(client)
    return true
  }

  /// Returns the clients that were decided about while the server did not allow injection, and forgets
  /// them.
  mutating func popDecidedMeanwhile() -> [String] {
    defer { decidedMeanwhile = [] }
    return decidedMeanwhile.sorted()
  }

  private func decision(about client: String) -> Bool? {
    if case .decided(let isGranted, _) = entries[client] { isGranted } else { nil }
  }

  private mutating func recordIfMeanwhile(_ client: String) {
    if !isServiceEnabled { decidedMeanwhile.insert(client) }
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
