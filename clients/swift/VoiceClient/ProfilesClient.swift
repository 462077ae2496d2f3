public import AnechoicAPI
internal import Foundation
public import GRPCTransport
internal import SwiftProtobuf

/// The profiles for spatial audio that a client keeps on a server. Every function throws the `Status` of
/// a failed call.
public final class ProfilesClient: Sendable {
  private static let timeout = Duration.seconds(10)
  /// The server needs up to 10 s to read a file, and may have to read two others before.
  private static let uploadTimeout = Duration.seconds(90)
  private static let piece = 64 << 10

  private let connection: Connection

  /// Creates a client. It connects with the first call. The parameters are those of `SessionsClient`.
  public init(
    server: String, clientName: String, security: ChannelSecurity = .plaintext,
    credentials: (any CredentialsProvider)? = nil
  ) {
    connection = Connection(
      server: server, clientName: clientName, security: security, credentials: credentials)
  }

  /// Uploads a SOFA file of at most 32 MiB. A profile with the same id is replaced.
  public func upload(_ sofa: [UInt8], as id: String) async throws -> Anechoic_V1_SpatialProfile {
    let call = try connection.call(
      method(RPC.uploadProfile), session: nil, timeout: Self.uploadTimeout)
    do {
      try await call.send(Anechoic_V1_UploadProfileRequest.with { $0.start.profileID = id })
      var rest = sofa[...]
      while !rest.isEmpty {
        let piece = rest.prefix(Self.piece)
        try await call.send(Anechoic_V1_UploadProfileRequest.with { $0.sofa = Data(piece) })
        rest = rest.dropFirst(piece.count)
      }
      call.halfClose()
    } catch is Status {
      // `receive` throws the status of a call that the server has ended.
    }
    guard let response = try await call.receive(Anechoic_V1_UploadProfileResponse.self) else {
      throw Status(.internal, "the upload ended without a response")
    }
    _ = try await call.receive()
    return response.profile
  }

  /// Returns the client's own profiles, by their ids.
  public func list() async throws -> [Anechoic_V1_SpatialProfile] {
    let response: Anechoic_V1_ListProfilesResponse = try await unary(
      RPC.listProfiles, Anechoic_V1_ListProfilesRequest())
    return response.profiles
  }

  /// Deletes a profile. Sessions that use it keep it.
  public func delete(_ id: String) async throws {
    let _: Anechoic_V1_DeleteProfileResponse = try await unary(
      RPC.deleteProfile, Anechoic_V1_DeleteProfileRequest.with { $0.profileID = id })
  }

  private func unary<Request: Message, Response: Message>(
    _ name: String, _ request: Request
  ) async throws -> Response {
    try await connection.unary(method(name), request, timeout: Self.timeout)
  }

  private func method(_ name: String) -> Method { Method(service: RPC.profiles, name: name) }
}

extension ClientCall {
  fileprivate func send(_ message: some Message) async throws {
    try await send(message.serializedBytes() as [UInt8])
  }
}
