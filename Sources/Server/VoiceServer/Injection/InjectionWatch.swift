internal import AnechoicAPI
internal import Authentication
internal import GRPCTransport
internal import SessionWire
internal import SwiftProtobuf
internal import VoiceSessions

/// The sessions into which one client may inject speech, and what it needs to know of them. Does no I/O.
struct InjectionWatch {
  private let statuses: InjectionStatuses
  private let directory: SessionDirectory
  private let name: String
  /// The id of the one session, or nil for all that the client may know of.
  private let id: String?
  /// The statuses that the client knows, by the names of their sessions. Nil before the first.
  private var known: [String: Anechoic_V1_InjectionStatus]?

  /// Throws INVALID_ARGUMENT if the name has another form than "sessions/{session_id}" and is not empty.
  init(
    _ name: String, _ directory: SessionDirectory, _ statuses: InjectionStatuses
  ) throws(Status) {
    self.name = name
    id = name.isEmpty ? nil : try SessionID.named(name, field: "name")
    self.directory = directory
    self.statuses = statuses
  }

  /// Returns the statuses that have changed, at first all of them. Nil if none has.
  mutating func next() -> Anechoic_V1_WatchInjectionResponse? {
    let present = present
    let ended = (known ?? [:]).keys.filter { present[$0] == nil }
    let changes =
      present.values.filter { known?[$0.session] != $0 }
      + ended.map { statuses.of(nil, named: $0) }
    guard known == nil || !changes.isEmpty else { return nil }
    known = present
    return .with { $0.statuses = changes.sorted { $0.session < $1.session } }
  }

  /// Passes each change to `send`, until the server stops and no session is left. Changes within 50 ms
  /// come together.
  mutating func follow(
    _ send: (Anechoic_V1_WatchInjectionResponse) async throws -> Void
  ) async throws {
    let (signals, signal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let listener = directory.listeners.add { signal.yield() }
    defer { directory.listeners.remove(listener) }
    signal.yield()
    for await _ in signals {
      if let change = next() { try await send(change) }
      if directory.isDraining, directory.sessions.isEmpty { throw Status.draining }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw CancellationError()
  }

  private var present: [String: Anechoic_V1_InjectionStatus] {
    let sessions: [Anechoic_V1_InjectionStatus] =
      if let id {
        [statuses.of(directory[id], named: name)]
      } else {
        directory.sessions.filter(statuses.isKnown).map { statuses.of($0, named: $0.name) }
      }
    return Dictionary(uniqueKeysWithValues: sessions.map { ($0.session, $0) })
  }
}

/// The injection status of sessions as one client sees it.
struct InjectionStatuses {
  let client: Principal
  /// The switch of the server.
  let service: InjectionSwitch
  /// The decisions of earlier sessions, if the server stores them.
  let permissions: PermissionStore?

  /// Whether the client may learn of a session whose name it does not know.
  func isKnown(_ session: SessionHandle) -> Bool {
    client.owns(session) || storedPermission(for: session) == true
  }

  /// The status of a session, or of a name that no session has.
  func of(_ session: SessionHandle?, named name: String) -> Anechoic_V1_InjectionStatus {
    guard let session else {
      return .with {
        $0.session = name
        $0.permission = service.isOn ? .undetermined : .serviceDisabled
      }
    }
    let state = session.feed.session
    var permission = state.injectionPermissions[client.name]
    if permission == .undetermined, let stored = storedPermission(for: session) {
      permission = stored ? .granted : .denied
    }
    return .with {
      $0.session = name
      $0.running = true
      $0.available = state.isInjectionAvailable
      $0.permission = Anechoic_V1_InjectionPermission(permission)
    }
  }

  private func storedPermission(for session: SessionHandle) -> Bool? {
    session.setup.storesPermissions
      ? permissions?.decision(of: session.setup.owner.actor, about: client.name) : nil
  }
}
