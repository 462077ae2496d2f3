internal import AnechoicAPI
internal import Authentication
internal import Foundation
internal import GRPCTransport
internal import SpatialAudio
internal import SwiftProtobuf

/// An `UploadProfile` call. It takes a file, has it read in a process of its own, and stores the
/// responses.
struct UploadCall: Sendable {
  /// The largest message in bytes: a piece of the file, and the fields around it.
  static let largestMessage = 1 << 20 + 1024

  private static let idleLimit = Duration.seconds(10)
  private static let longest = Duration.seconds(60)
  private static let largestPiece = 1 << 20

  private enum Step {
    case stored(StoredProfile)
    case refused(Status)
  }

  let store: ProfileStore
  let client: Principal
  private let wait = MessageWait()

  init(_ store: ProfileStore, _ client: Principal) {
    self.store = store
    self.client = client
  }

  func run(_ requests: RequestStream) async throws -> StoredProfile {
    guard let reader = store.reader else { throw Status.profilesOff }
    return try await store.uploads.withUpload(of: client.account) {
      try await withThrowingTaskGroup(of: Step.self) { group in
        group.addTask {
          try await wait.lasts(Self.idleLimit)
          return .refused(.idleUpload(Self.idleLimit))
        }
        group.addTask {
          try await Task.sleep(inStepsFor: Self.longest)
          return .refused(.longUpload(Self.longest))
        }
        group.addTask { .stored(try await upload(requests, reader)) }
        defer { group.cancelAll() }
        switch try await group.next() {
        case .stored(let profile): return profile
        case .refused(let status): throw status
        case nil: throw Status(.internal)
        }
      }
    }
  }

  private func upload(
    _ requests: RequestStream, _ reader: ReaderProgram
  ) async throws -> StoredProfile {
    let owner = ProfileOwner(client)
    guard case .start(let start) = try await next(requests) else {
      throw Status(InvalidFieldError("start", "is required; the first request must contain it"))
    }
    guard Identifier.isValid(start.profileID) else {
      throw Status(InvalidFieldError("start.profile_id", Identifier.rule))
    }
    try store.checkRoom(for: start.profileID, of: owner)
    var file: [UInt8] = []
    while let request = try await next(requests) {
      guard case .sofa(let piece) = request else {
        throw Status(InvalidFieldError("start", "the upload has already started"))
      }
      guard piece.count <= Self.largestPiece else {
        throw Status(
          InvalidFieldError("sofa", "must have at most \(Self.largestPiece) bytes in a message"))
      }
      guard file.count + piece.count <= ProfileReader.largestFile else {
        throw Status(
          InvalidFieldError("sofa", "must have at most \(ProfileReader.largestFile) bytes in all"))
      }
      file += piece
    }
    guard !file.isEmpty else { throw Status(InvalidFieldError("sofa", "is required")) }
    do {
      let contents = file
      let responses = try await store.uploads.withReader {
        try await reader.responses(of: contents)
      }
      return try store.store(responses, as: start.profileID, of: owner)
    } catch let fault as SOFAError {
      throw Status(InvalidFieldError("sofa", fault.description))
    } catch let failure as ReaderError {
      throw Status.profileReaderFailed(failure)
    }
  }

  private func next(
    _ requests: RequestStream
  ) async throws -> Anechoic_V1_UploadProfileRequest.OneOf_Request? {
    guard let bytes = try await wait.next({ try await requests.next() }) else { return nil }
    guard let message = try? Anechoic_V1_UploadProfileRequest(serializedBytes: bytes) else {
      throw Status.notA("UploadProfileRequest")
    }
    guard let request = message.request else {
      throw Status(InvalidFieldError("request", "is empty; it must contain start or sofa"))
    }
    return request
  }
}
