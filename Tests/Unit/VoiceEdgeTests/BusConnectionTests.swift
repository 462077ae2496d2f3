@testable import VoiceEdge
import Foundation
import Testing
import TestTime

/// Connections to a real message bus.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct BusConnectionTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  @Test func theBusAnswers() async throws {
    let bus = try await PrivateBus(folder)
    let connection = try await BusConnection.open(bus.address)
    let names = try await connection.call(.bus("ListNames")).first?.elements
    #expect(names?.contains(.string("org.freedesktop.DBus")) == true)
    let name = try #require(names?.compactMap(\.text).first { $0.hasPrefix(":") })
    let credentials = try await connection.call(.bus("GetConnectionCredentials", [.string(name)]))
    #expect(credentials.first?.named?["UnixUserID"] == .uint32(getuid()))
  }

  @Test func withoutABusThereIsAnError() async throws {
    await #expect(throws: BusError.self) {
      try await BusConnection.open(BusAddress("unix:path=\(folder.path("none"))"))
    }
    await #expect(throws: BusError.self) { try await BusConnection.open(BusAddress("nonsense")) }
  }

  /// Calls would wait for ever.
  @Test func aProcessWithTooManyOpenFilesCannotOpenABus() {
    #expect(throws: BusError.self) { try BusQueue(-1) }
  }

  @Test func namesAndValuesThatAreNotValidAreRefused() async throws {
    let bus = try await PrivateBus(folder)
    let connection = try await BusConnection.open(bus.address)
    let calls = [
      BusCall("not a name", "/", "org.example.A", "B"), BusCall("org.example", "x", "a.b", "C"),
      BusCall("org.example", "/", "nothing", "C"), BusCall("org.example", "/", "a.b", "C D"),
      .bus("ListNames", [.other]), .bus("ListNames", [.objectPath("here")]),
      .bus("ListNames", [.array([.byte(1)], of: "s")]), .bus("ListNames", [.array([], of: "(")]),
    ]
    for call in calls {
      let error = await #expect(throws: BusError.self) { try await connection.call(call) }
      #expect(error?.kind == .invalid)
    }
    let error = await #expect(throws: BusError.self) {
      try await connection.call(.bus("NoSuchMethod"))
    }
    #expect(error?.kind == .refused)
  }

  @Test func aProgramThatNeverAnswersCostsTheLimit() async throws {
    let bus = try await PrivateBus(folder)
    let player = try await TestPlayer(bus, "silent", "Playing", manner: "silent")
    let connection = try await BusConnection.open(bus.address)
    let call = BusCall(
      player.name, "/org/mpris/MediaPlayer2", "org.mpris.MediaPlayer2.Player", "Play")
    let error = await #expect(throws: BusError.self) {
      try await connection.call(call, within: .milliseconds(50))
    }
    #expect(error?.kind == .timedOut)
  }

  @Test func valuesOfAllTypesArriveAtAnotherConnection() async throws {
    let bus = try await PrivateBus(folder)
    let caller = try await BusConnection.open(bus.address)
    let server = try await BusConnection.open(bus.address)
    _ = try await server.call(.bus("RequestName", [.string("org.example.Echo"), .uint32(0)]))
    let work = Task {
      for await message in server.messages { server.answer(message, .success(message.arguments)) }
    }
    let values: [BusValue] = [
      .boolean(true), .byte(7), .int32(-3), .uint32(4), .int64(-1 << 40), .double(0.5),
      .string("ä"), .objectPath("/a/b"), .array([.string("x")], of: "s"), .array([], of: "i"),
      .dictionary(["a": .int32(1), "b": .array([.objectPath("/")], of: "o")]),
    ]
    let answer = try await caller.call(
      BusCall("org.example.Echo", "/", "org.example.Echo", "Echo", values + [.variant(.byte(9))]))
    #expect(answer == values + [.byte(9)])
    work.cancel()
  }

  @Test func aLostBusEndsEverything() async throws {
    let bus = try await PrivateBus(folder)
    let connection = try await BusConnection.open(bus.address)
    bus.stop()
    for await _ in connection.messages {}
    let error = await #expect(throws: BusError.self) { try await connection.call(.bus("GetId")) }
    #expect(error?.kind == .disconnected)
  }

  @Test func aReaderThatMissesMessagesLosesTheConnection() async throws {
    let bus = try await PrivateBus(folder)
    let connection = try await BusConnection.open(bus.address)
    try await connection.watch("type='signal',member='NameOwnerChanged'")
    let other = try await BusConnection.open(bus.address)
    // The other connection reads what the bus tells it about its names.
    let reading = Task { for await _ in other.messages {} }
    defer { reading.cancel() }
    try await eventually("the connection ends") {
      _ = try await other.call(.bus("RequestName", [.string("org.example.A"), .uint32(0)]))
      _ = try await other.call(.bus("ReleaseName", [.string("org.example.A")]))
      return (try? await connection.call(.bus("GetId"))) == nil
    }
  }
}
