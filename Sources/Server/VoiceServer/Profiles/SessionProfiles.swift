internal import AudioCore
internal import SpatialAudio

/// The profiles of the client that started a session. A session uses it on its thread.
final class SessionProfiles {
  let store: ProfileStore
  let owner: ProfileOwner
  /// The profile that the session's configuration names. Empty for the generic responses.
  var wanted: String
  /// Whether the responses of a profile are being loaded.
  var isLoading = false

  init(_ store: ProfileStore, _ owner: ProfileOwner, wanted: String) {
    self.store = store
    self.owner = owner
    self.wanted = wanted
  }

  /// Returns whether there is a profile.
  func has(_ name: String) -> Bool { store.profile(name, of: owner) != nil }
}

extension ProfileStore {
  /// Returns the responses of a client's profile, or the generic ones for an empty name, if they are
  /// loaded.
  func loadedResponses(_ name: String, of owner: ProfileOwner, rate: SampleRate) -> HeadRelatedSet?
  {
    guard !name.isEmpty else { return HeadRelatedSet.loadedGeneric(rate: rate) }
    return profile(name, of: owner).flatMap { loadedResponses(of: $0, rate: rate) }
  }

  /// Loads the responses of a client's profile, or the generic ones for an empty name.
  func responses(
    _ name: String, of owner: ProfileOwner, rate: SampleRate
  ) async throws -> HeadRelatedSet {
    guard !name.isEmpty else { return try HeadRelatedSet.generic(rate: rate) }
    guard let profile = profile(name, of: owner) else { throw SOFAError("does not exist any more") }
    return try await responses(of: profile, owner: owner, rate: rate)
  }
}
