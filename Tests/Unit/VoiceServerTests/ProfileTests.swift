import AnechoicAPI
import Authentication
import Foundation
import GRPCTransport
import SpatialAudio
import SwiftProtobuf
import Testing
import VoiceClient

@testable import VoiceServer

/// Profiles of listeners: uploads to a real server, read in a real process.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ProfileTests {
  private func client(_ server: TestServer, _ name: String = "ann") -> ProfilesClient {
    ProfilesClient(server: server.address, clientName: name)
  }

  private func refusal(_ body: () async throws -> Void) async -> Status? {
    do {
      try await body()
      return nil
    } catch {
      return error as? Status
    }
  }

  @Test func aProfileBelongsToTheClientThatUploadedIt() async throws {
    try await TestServer.run({ $0.profiles = try .reading() }) { server in
      let ann = client(server)
      let profile = try await ann.upload(TestProfile.file, as: "mine")
      #expect(profile.profileID == "mine" && profile.directions == 710)
      #expect(profile.sha256.count == 64 && profile.hasCreateTime)
      #expect(try await ann.list() == [profile])
      let bob = client(server, "bob")
      #expect(try await bob.list().isEmpty)
      let foreign = await refusal { try await bob.delete("mine") }
      try #require(foreign).expect(.notFound, field: "profile_id", reason: "NO_PROFILE")
      let again = try await ann.upload(TestProfile.file, as: "mine")
      #expect(again.sha256 == profile.sha256)
      #expect(try await ann.list().count == 1)
      try await ann.delete("mine")
      #expect(try await ann.list().isEmpty)
      #expect(await refusal { try await ann.delete("mine") }?.code == .notFound)
    }
  }

  @Test func aFolderKeepsProfilesForTheNextServer() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("anechoic-profiles-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    func store() throws -> ProfileStore { try .reading(directory: folder.path) }
    let profile = try await TestServer.run({ $0.profiles = try store() }) { server in
      _ = try await client(server).upload(TestProfile.file, as: "other")
      return try await client(server).upload(TestProfile.file, as: "mine")
    }
    let files = try #require(FileManager.default.subpaths(atPath: folder.path))
    let path = try #require(files.first { $0.hasSuffix("/other.profile") })
    // A FIFO to which no program writes holds up nobody.
    let owner = folder.appendingPathComponent(path).deletingLastPathComponent()
    #expect(mkfifo(owner.appendingPathComponent("fifo.profile").path, 0o600) == 0)
    var bytes = try Data(contentsOf: folder.appendingPathComponent(path))
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: folder.appendingPathComponent(path))
    try await TestServer.run({ $0.profiles = try store() }) { server in
      let found = try await client(server).list()
      #expect(found.map(\.profileID) == ["mine"], "the damaged file is left out")
      #expect(found.first?.sha256 == profile.sha256)
      try await client(server).delete("mine")
    }
    #expect(
      FileManager.default.subpaths(atPath: folder.path)?.contains { $0.hasSuffix("mine.profile") }
        == false)
  }

  @Test func filesThatAreNoSOFAAreRefusedWithTheirField() async throws {
    try await TestServer.run({ $0.profiles = try .reading() }) { server in
      let ann = client(server)
      let files: [[UInt8]] = [
        [], [0], Array("not a SOFA file".utf8), Array(TestProfile.file.prefix(100_000)),
        [UInt8](repeating: 0x55, count: 1 << 20),
      ]
      for file in files {
        let status = await refusal { _ = try await ann.upload(file, as: "mine") }
        try #require(status).expect(.invalidArgument, field: "sofa")
      }
      let tooLong = await refusal {
        _ = try await ann.upload([UInt8](repeating: 0, count: 32 << 20 + 1), as: "mine")
      }
      try #require(tooLong).expect(.invalidArgument, field: "sofa")
      for id in ["", "..\u{2f}mine", "a b", String(repeating: "x", count: 64)] {
        let status = await refusal { _ = try await ann.upload(TestProfile.file, as: id) }
        try #require(status).expect(.invalidArgument, field: "start.profile_id")
      }
      #expect(try await ann.list().isEmpty)
    }
  }

  @Test func aClientMayHaveEightProfiles() async throws {
    let profiles = try ProfileStore.reading()
    let owner = ProfileOwner(Principal(name: "ann", host: "", scopes: [], isVerified: false))
    let responses = try TestProfile.generic
    for index in 0..<8 { _ = try profiles.store(responses, as: "ears-\(index)", of: owner) }
    try await TestServer.run({ $0.profiles = profiles }) { server in
      let ann = client(server)
      let status = await refusal { _ = try await ann.upload(TestProfile.file, as: "one-more") }
      #expect(status?.code == .resourceExhausted && status?.reason == "TOO_MANY_PROFILES")
      _ = try await ann.upload(TestProfile.file, as: "ears-3")
      try await ann.delete("ears-0")
      _ = try await ann.upload(TestProfile.file, as: "one-more")
    }
  }

  @Test func moreThanTwoUploadsOfAClientAtOnceAreRefused() async throws {
    try await TestServer.run({ $0.profiles = try .reading() }) { server in
      let method = Method(service: RPC.profiles, name: RPC.uploadProfile)
      let start =
        try Anechoic_V1_UploadProfileRequest.with { $0.start.profileID = "mine" }
        .serializedBytes() as [UInt8]
      // A stalled call has a place when the server has read its first message, unless the upload
      // after it was quicker and took the last place. So each upload follows another stalled call.
      var stalled: [ClientCall] = []
      let limit = ContinuousClock.now + .seconds(20)
      var status: Status?
      while status?.code != .resourceExhausted, ContinuousClock.now < limit {
        let call = server.channel.call(method, timeout: .seconds(30))
        stalled.append(call)
        try await call.send(start)
        status = await refusal { _ = try await client(server).upload([1], as: "mine") }
      }
      #expect(status?.reason == "TOO_MANY_CALLS")
      let retry = try #require(status).detail(Google_Rpc_RetryInfo.self)
      #expect(retry != nil)
      for call in stalled { call.cancel() }
    }
  }

  @Test func aServerWithoutAReaderTakesNone() async throws {
    try await TestServer.run { server in
      let status = await refusal { _ = try await client(server).upload([1], as: "mine") }
      #expect(status?.code == .failedPrecondition && status?.reason == "PROFILES_OFF")
      let profiles = try await client(server).list()
      #expect(profiles.isEmpty)
    }
  }
}
