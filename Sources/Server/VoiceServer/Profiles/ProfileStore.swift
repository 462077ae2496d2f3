internal import AudioCore
internal import Authentication
internal import Foundation
internal import GRPCTransport
public import SpatialAudio
internal import Synchronization

/// The profiles that clients have uploaded for spatial audio, in a folder, or in memory until the
/// server ends.
public final class ProfileStore: Sendable {
  /// The maximum number of profiles.
  static let most = 256
  /// The maximum number of profiles of one client.
  static let mostPerOwner = 8
  /// The maximum size of all profiles in bytes.
  static let largestTotal = 256 << 20

  private struct State {
    var profiles: [ProfileOwner: [String: StoredProfile]] = [:]
    var count = 0
    var size = 0

    mutating func set(_ profile: StoredProfile?, _ id: String, of owner: ProfileOwner) {
      if let former = profiles[owner]?[id] {
        count -= 1
        size -= former.size
      }
      if let profile {
        count += 1
        size += profile.size
      }
      profiles[owner, default: [:]][id] = profile
      if profiles[owner]?.isEmpty ?? false { profiles[owner] = nil }
    }
  }

  let uploads: UploadSlots
  /// The program that reads files. Nil if this server reads none.
  let reader: ReaderProgram?
  private let folder: ProfileFolder?
  private let state = Mutex(State())
  /// Held while a profile and its file change, so that both stay the same.
  private let files = Mutex(())
  private let loader = ResponseLoader()

  /// Creates a store. Throws if the folder cannot be used. `report` gets the problems of files that are
  /// left out.
  public init(
    reader: ReaderProgram?, directory: String? = nil, report: (String) -> Void = { _ in }
  ) throws(ProfileStoreError) {
    self.reader = reader
    uploads = UploadSlots()
    guard let directory else {
      folder = nil
      return
    }
    let folder = try ProfileFolder(path: directory)
    self.folder = folder
    let (found, problems) = folder.profiles()
    for problem in problems { report(problem) }
    state.withLock { state in
      for (owner, profile) in found { state.set(profile, profile.id, of: owner) }
    }
  }

  /// Creates a store that takes no uploads.
  public init() {
    uploads = UploadSlots()
    reader = nil
    folder = nil
  }

  func profile(_ id: String, of owner: ProfileOwner) -> StoredProfile? {
    state.withLock { $0.profiles[owner]?[id] }
  }

  /// Returns the profiles of a client, by their ids.
  func profiles(of owner: ProfileOwner) -> [StoredProfile] {
    state.withLock { Array($0.profiles[owner, default: [:]].values) }.sorted { $0.id < $1.id }
  }

  /// Throws unless a client may store one more profile with this id.
  func checkRoom(for id: String, of owner: ProfileOwner, size: Int = 0) throws(Status) {
    try state.withLock { state throws(Status) in try Self.checkRoom(state, id, owner, size) }
  }

  private static func checkRoom(
    _ state: State, _ id: String, _ owner: ProfileOwner, _ size: Int
  ) throws(Status) {
    let own = state.profiles[owner, default: [:]]
    guard own[id] != nil || own.count < mostPerOwner else { throw .tooManyProfiles(mostPerOwner) }
    let former = own[id]?.size ?? 0
    guard state.count < most || own[id] != nil, state.size - former + size <= largestTotal else {
      throw .profilesFull
    }
  }

  /// Stores responses. Call this on a thread that may wait for a disk.
  func store(
    _ responses: MeasuredResponses, as id: String, of owner: ProfileOwner
  ) throws -> StoredProfile {
    guard let encoded = responses.encoded() else { throw SOFAError("has too many responses") }
    let stored = StoredProfile.stored(encoded)
    let profile = StoredProfile(
      id: id, createTime: .now, responses, stored, inMemory: folder == nil)
    try files.withLock { _ throws(Status) in
      // The place is taken before the file is written, so that uploads at the same time fit too.
      let former = try state.withLock { state throws(Status) in
        try Self.checkRoom(state, id, owner, stored.count)
        defer { state.set(profile, id, of: owner) }
        return state.profiles[owner]?[id]
      }
      do {
        try folder?.write(stored, as: id, of: owner)
      } catch {
        state.withLock { $0.set(former, id, of: owner) }
        throw .profileNotStored
      }
    }
    return profile
  }

  /// Deletes a profile. Call this on a thread that may wait for a disk.
  func delete(_ id: String, of owner: ProfileOwner) throws(Status) {
    try files.withLock { _ throws(Status) in
      let former = state.withLock { state in
        defer { state.set(nil, id, of: owner) }
        return state.profiles[owner]?[id]
      }
      guard let former else { throw .noProfile(id, path: "profile_id") }
      do {
        try folder?.remove(id, of: owner)
      } catch {
        state.withLock { $0.set(former, id, of: owner) }
        throw .profileNotStored
      }
    }
  }

  /// Returns the responses of a profile at a rate if they are loaded, or nil.
  func loadedResponses(of profile: StoredProfile, rate: SampleRate) -> HeadRelatedSet? {
    loader.loaded(profile.digest, rate)
  }

  /// Returns the responses of a profile at a rate. Loads them if no session has them, which takes some
  /// tenths of a second.
  func responses(
    of profile: StoredProfile, owner: ProfileOwner, rate: SampleRate
  ) async throws -> HeadRelatedSet {
    let folder = folder
    return try await loader.load(profile.digest, rate) { () throws in
      guard let stored = try profile.contents ?? folder?.read(profile.id, of: owner).stored else {
        throw SOFAError("cannot be read")
      }
      // Another upload may have taken its place.
      guard StoredProfile.digest(of: stored) == profile.digest else {
        throw SOFAError("has been replaced")
      }
      return try StoredProfile.responses(stored)
    }
  }
}
