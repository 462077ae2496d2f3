internal import AnechoicAPI
internal import Authentication
internal import GRPCTransport
internal import SwiftProtobuf

/// The methods with which clients upload, list and delete their own profiles for spatial audio.
struct ProfileService: Sendable {
  let store: ProfileStore
  let log: ServerLog

  var methods: [ServerMethod] {
    [
      .clientStreaming(
        Method(service: RPC.profiles, name: RPC.uploadProfile), lane: .background
      ) { requests, context in
        let client = try Principal(context)
        return try await log.auditing(RPC.uploadProfile, session: "", by: ServerLog.Cause(context))
        {
          let profile = try await UploadCall(store, client).run(requests)
          return try Anechoic_V1_UploadProfileResponse.with { $0.profile = .init(profile) }
            .serializedBytes()
        }
      }.with(largestMessage: UploadCall.largestMessage),
      UnaryMethod(RPC.listProfiles, of: RPC.profiles) {
        (_: Anechoic_V1_ListProfilesRequest, client, _) in
        Anechoic_V1_ListProfilesResponse.with {
          $0.profiles = store.profiles(of: ProfileOwner(client)).map { .init($0) }
        }
      }.overGRPC,
      UnaryMethod(RPC.deleteProfile, of: RPC.profiles) {
        (request: Anechoic_V1_DeleteProfileRequest, client, cause) in
        try await log.auditing(RPC.deleteProfile, session: "", by: cause) {
          guard Identifier.isValid(request.profileID) else {
            throw Status(InvalidFieldError("profile_id", Identifier.rule))
          }
          try store.delete(request.profileID, of: ProfileOwner(client))
          return Anechoic_V1_DeleteProfileResponse()
        }
      }.overGRPC,
    ]
  }
}

extension Anechoic_V1_SpatialProfile {
  fileprivate init(_ profile: StoredProfile) {
    self.init()
    profileID = profile.id
    createTime = Google_Protobuf_Timestamp(date: profile.createTime)
    directions = UInt32(profile.directions)
    responseSamples = UInt32(profile.length)
    sha256 = profile.digest
  }
}
