import AnechoicAPI
import AudioCore
import EdgeRig
import Foundation
import SoundRig
import TestAudio
import TestNetwork
import Testing

/// A microphone and a loudspeaker of two agents in two network namespaces, whose clocks differ by 300 parts
/// per million. The playback reaches the loudspeaker's agent up to 100 ms late.
@Suite(
  .serialized, .timeLimit(.minutes(4)),
  .enabled(if: SoundRig.missingTools.isEmpty, "the rig's programs are not installed"),
  .enabled(if: NetworkNamespace.problem == nil, "network namespaces need root and ip"))
struct JoinRigTests {
  private static let rate = 48000

  @Test func theEchoOfTheOtherDeviceIsRemovedAndBothMayLeaveAndReturn() async throws {
    let rig = try SoundRig(captureClock: 1 + 300e-6)
    defer { rig.stop() }
    let room = try RoomSimulator(rig)
    defer { room.stop() }
    let (phoneSpace, televisionSpace) = (try NetworkNamespace(), try NetworkNamespace())
    var proxies: [TCPProxy] = []
    defer { proxies.forEach { $0.stop() } }
    let ticket = FileManager.default.temporaryDirectory.path + "/ticket-\(UUID().uuidString)"
    let phone = try RunningEdge(
      rig, products: products, arguments: ["--input", "vmic", "--share", ticket],
      namespace: phoneSpace
    ) { server in
      proxies = [
        try TCPProxy(to: server, on: phoneSpace.hostAddress),
        try TCPProxy(to: server, on: televisionSpace.hostAddress, jitter: .milliseconds(100)),
      ]
      return proxies[0].address
    }
    defer { phone.stop() }
    let television = try JoiningEdge(
      rig, products: products, server: proxies[1].address, ticket: ticket, folder: phone.folder,
      namespace: televisionSpace)
    defer { television.stop() }
    try #require(await television.wait { $0.connected } != nil, "\(television.log)")
    #expect(FileManager.default.fileExists(atPath: ticket))
    let microphone = try rig.record(from: "micbus.monitor")
    phone.farEnd.play(Signals.babble(12 * Self.rate, rate: .hz48000), isRepeated: true)
    try await expectNoEcho(microphone, phone)

    television.stop()
    try #require(await eventually { phone.agentLog.contains("television has left") })
    try television.start()
    try #require(await television.wait { $0.connected } != nil, "\(television.log)")
    try await expectNoEcho(microphone, phone)

    phone.endAgent()
    #expect(!FileManager.default.fileExists(atPath: ticket))
    try #require(await television.wait { !$0.connected } != nil, "\(television.log)")
    try phone.startAgent()
    try #require(await television.wait { $0.connected } != nil, "\(television.log)")
    try await expectNoEcho(microphone, phone)
  }

  /// Expects that the far end is heard in the room, and 25 dB lower in the voice, from now on.
  private func expectNoEcho(
    _ microphone: Recording, _ phone: RunningEdge,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let (heard, voice) = (microphone.samples.count, phone.voice.samples.count)
    let found = await eventually {
      let room = Self.median(microphone.samples.dropFirst(heard))
      return room > -45 && Self.median(phone.voice.samples.dropFirst(voice)) < room - 25
    }
    #expect(
      found,
      """
      \(Self.levels(microphone.samples.dropFirst(heard))) and \
      \(Self.levels(phone.voice.samples.dropFirst(voice))) dBFS
      """, sourceLocation: sourceLocation)
    if ProcessInfo.processInfo.environment["ANECHOIC_PRINT_LEVELS"] != nil {
      print("microphone", Self.levels(microphone.samples.dropFirst(heard)))
      print("voice     ", Self.levels(phone.voice.samples.dropFirst(voice)))
    }
  }

  /// Returns the levels of the seconds.
  private static func levels(_ samples: ArraySlice<Float>) -> [Int] {
    Loudness.levels(Array(samples), of: rate).map { Int($0.rounded()) }
  }

  /// Returns the median of the levels of the last five seconds, of at least six.
  private static func median(_ samples: ArraySlice<Float>) -> Double {
    guard samples.count >= 6 * rate else { return 0 }
    return Loudness.levels(Array(samples.suffix(5 * rate)), of: rate).sorted()[2]
  }

  private func eventually(_ condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    while !condition() {
      guard ContinuousClock.now < end else { return false }
      try? await Task.sleep(for: .milliseconds(500))
    }
    return true
  }
}
