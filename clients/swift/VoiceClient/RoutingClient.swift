public import AnechoicAPI
public import GRPCTransport
internal import SwiftProtobuf

/// The arbiter of automatic switching on a server. Every function throws the `Status` of a failed call.
public final class RoutingClient: Sendable {
  private static let timeout = Duration.seconds(10)

  private let connection: Connection

  /// Creates a client. It connects with the first call.
  ///
  /// - Parameters:
  ///   - server: `HOST:PORT` or `unix:PATH`.
  ///   - clientName: The name that others see beside the machine. Printable ASCII. A server that
  ///     verifies clients ignores the name.
  ///   - security: Plaintext or TLS.
  ///   - credentials: The source of the token that each call presents. Nil sends no token.
  public init(
    server: String, clientName: String, security: ChannelSecurity = .plaintext,
    credentials: (any CredentialsProvider)? = nil
  ) {
    connection = Connection(
      server: server, clientName: clientName, security: security, credentials: credentials)
  }

  private init(_ connection: Connection) { self.connection = connection }

  /// Returns a client of the same server with a connection of its own.
  public func reconnected() -> RoutingClient { RoutingClient(connection.renewed()) }

  /// Returns the machines and the headsets of a group.
  public func routing(of group: String = "") async throws -> Anechoic_V1_GetRoutingResponse {
    try await connection.unary(
      method(RPC.getRouting), Anechoic_V1_GetRoutingRequest.with { $0.group = group },
      session: key(group), timeout: Self.timeout)
  }

  /// Gives a headset to a machine of a group. With `untilReleased`, the machine keeps the headset until
  /// `release`, or until it leaves. Otherwise a later activity of another machine takes the headset.
  public func choose(
    _ machine: String, for headset: String, group: String = "", untilReleased: Bool = true
  ) async throws -> Anechoic_V1_RoutingDecision {
    let response: Anechoic_V1_ChooseHolderResponse = try await connection.unary(
      method(RPC.chooseHolder),
      Anechoic_V1_ChooseHolderRequest.with {
        ($0.group, $0.headset, $0.machine) = (group, headset, machine)
        $0.untilReleased = untilReleased
      }, session: key(group), timeout: Self.timeout)
    return response.decision
  }

  /// Ends the choice of a machine for a headset.
  public func release(
    _ headset: String, group: String = ""
  ) async throws -> Anechoic_V1_RoutingDecision {
    try await choose("", for: headset, group: group)
  }

  /// Registers a machine, for as long as the stream exists.
  public func register(
    _ registration: Anechoic_V1_RegisterMachine
  ) async throws -> RoutingStream {
    try await RoutingStream(
      try connection.call(method(RPC.arbitrate), session: key(registration.group)), registration)
  }

  /// The id by which proxies send all machines of a group to one server.
  private func key(_ group: String) -> String { group.isEmpty ? "routing" : group }

  private func method(_ name: String) -> Method { Method(service: RPC.routing, name: name) }
}

/// The connection of a machine with the arbiter.
public final class RoutingStream: Sendable {
  /// The server's answer to the registration.
  public let registered: Anechoic_V1_MachineRegistered
  private let call: ClientCall

  init(_ call: ClientCall, _ registration: Anechoic_V1_RegisterMachine) async throws {
    self.call = call
    do {
      try await call.send(
        Anechoic_V1_ArbitrateRequest.with { $0.register = registration }.serializedBytes())
    } catch is Status {
      // The server has refused the machine. `receive` throws its status.
    }
    guard let first = try await call.receive(Anechoic_V1_ArbitrateResponse.self),
      case .registered(let registered) = first.response
    else { throw Status(.internal, "the server did not answer with registered") }
    self.registered = registered
  }

  /// Reports the whole activity of the machine. Do not call this from two tasks at the same time.
  public func send(_ activity: Anechoic_V1_MachineActivity) async throws {
    try await call.send(
      Anechoic_V1_ArbitrateRequest.with { $0.activity = activity }.serializedBytes())
  }

  /// Returns the next response, or nil once the machine has left. Throws any `Status` other than OK.
  public func receive() async throws -> Anechoic_V1_ArbitrateResponse? {
    try await call.receive(Anechoic_V1_ArbitrateResponse.self)
  }

  /// Leaves the group.
  public func leave() { call.halfClose() }

  /// Ends the call at once. The server keeps the place of the machine for 10 s.
  public func cancel() { call.cancel() }
}
