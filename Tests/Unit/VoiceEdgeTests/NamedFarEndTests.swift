import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import ScriptedDevices
import Settings
import SwiftProtobuf
import Synchronization
import TestAudio
import Testing
import TestTime
import VoiceClient

@testable import VoiceEdge

/// Programs that play at once, each as a far end with a name and a place.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct NamedFarEndTests {
  /// A program that plays a far end over the control socket.
  private final class Program: Sendable {
    private let call: ClientCall
    private let work = Mutex<Task<Void, Never>?>(nil)
    private let azimuth = Mutex<Float?>(nil)
    private let isStalled = Atomic(false)
    private let writtenCount = Atomic(0)

    init(_ rig: AgentRig, _ name: String, azimuth: Float? = nil, rate: UInt32 = 16_000) async throws
    {
      call = Channel(target: "unix:\(rig.folder.path("agent"))").call(
        Method(service: RPC.edge, name: RPC.playFarEnd))
      try await send { request in
        request.start.name = name
        request.start.format = .with {
          ($0.encoding, $0.sampleRateHz, $0.channelCount) = (.pcmS16Le, rate, 1)
        }
        if let azimuth { request.start.place.azimuthDegrees = azimuth }
      }
    }

    /// The number of samples that were written.
    var written: Int { writtenCount.load(ordering: .relaxed) }

    func send(_ fill: (inout Anechoic_V1_PlayFarEndRequest) -> Void) async throws {
      try await call.send(Anechoic_V1_PlayFarEndRequest.with(fill).serializedBytes())
    }

    /// Plays samples again and again in pieces of 20 ms: in real time, or as fast as the agent
    /// takes them.
    func play(_ samples: [Float], rate: Int = 16_000, inRealTime: Bool = true) {
      let size = rate / 50
      let pieces = stride(from: 0, to: samples.count, by: size).map { first in
        samples[first..<min(first + size, samples.count)].flatMap { sample in
          withUnsafeBytes(of: Int16(sample * 32767)) { Array($0) }
        }
      }
      work.withLock {
        $0 = Task {
          let pace = Metronome(every: .milliseconds(20))
          var index = 0
          while !isStalled.load(ordering: .relaxed) {
            if let azimuth = azimuth.withLock({ $0.take() }) {
              try? await send { $0.place.azimuthDegrees = azimuth }
            }
            let piece = pieces[index % pieces.count]
            guard (try? await send({ $0.samples = Data(piece) })) != nil else { return }
            writtenCount.add(piece.count / 2, ordering: .relaxed)
            index += 1
            if inRealTime { try? await pace.beat(index) }
          }
        }
      }
    }

    /// Stops without a word, as a program that stalls.
    func stall() async {
      isStalled.store(true, ordering: .relaxed)
      await work.withLock { $0 }?.value
    }

    /// Moves the far end with the next piece.
    func move(azimuth: Float) { self.azimuth.withLock { $0 = azimuth } }

    /// Ends in order. Returns the answer.
    func end() async throws -> Anechoic_V1_PlayFarEndResponse? {
      await stall()
      call.halfClose()
      return try await call.receive().map { try .init(serializedBytes: $0) }
    }

    /// Dies.
    func die() async {
      call.cancel()
      await stall()
    }
  }

  private static let noise = Signals.noise(16_000, amplitude: 0.25, seed: 9)

  private func spatial(_ setup: inout AgentRig.Setup) {
    setup.microphone = { _ in 0 }
    setup.configuration.audio.outputChannels = 2
    setup.configuration.routes.ports[0].headphones = true
    setup.configuration.session.configuration.spatialAudio = .with {
      ($0.enabled, $0.earlyReflectionsDisabled) = (true, true)
    }
  }

  /// Returns the level of the left ear, whose samples alone are recorded.
  private func left(_ rig: AgentRig) async throws -> Float {
    try await rig.plays(.milliseconds(800))
    return level(rig.loudspeaker.played.suffix(4000))
  }

  @Test func eachProgramIsHeardFromItsPlaceAndOneThatDiesDisturbsNobody() async throws {
    try await AgentRig.run { setup in
      spatial(&setup)
      setup.configuration.programs.spareFarEnds = 2
      var carol = EdgeConfiguration.FarEnd(id: "carol")
      (carol.place, carol.azimuth) = (.fifo(path: setup.folder.path("carol")), -90)
      setup.configuration.programs.farEnds = [carol]
    } _: { rig in
      let alice = try await Program(rig, "alice", azimuth: 90)
      alice.play(Self.noise)
      try await eventually("rendered") {
        try await rig.remote.get(rig.status.session).stats.spatialAudioActive
      }
      try await eventually("heard") { level(rig.loudspeaker.played.suffix(1600)) > -40 }
      let near = try await left(rig)
      alice.move(azimuth: -90)
      let far = try await left(rig)
      #expect(near > far + 5, "\(near) dB at the ear, \(far) dB at the other one")
      // Another program joins from the left, and dies.
      let bob = try await Program(rig, "bob", azimuth: 90, rate: 48_000)
      bob.play(Self.noise, rate: 48_000)
      let both = try await left(rig)
      #expect(both > far + 3, "\(both) dB with another program")
      let status = try await rig.edgeStatus()
      #expect(status.farEnds.map(\.name) == ["carol", "alice", "bob"])
      #expect(status.farEnds.map(\.farEndID) == ["carol", "spare-1", "spare-2"])
      #expect(status.farEnds.map(\.playing) == [false, true, true])
      await bob.die()
      try await eventually("gone") { try await !rig.edgeStatus().farEnds[2].playing }
      let alone = try await left(rig)
      #expect(abs(alone - far) < 2, "\(alone) dB, before \(far) dB")
      // A FIFO is a far end with a place, too.
      let feed = FIFOFeed(rig.folder.path("carol"), Self.noise)
      defer { feed.stop() }
      try await eventually("read") { feed.count > 16_000 }
      let answer = try await alice.end()
      #expect(answer?.samples == Int64(alice.written))
      let right = try await left(rig)
      #expect(abs(right - far) < 3, "\(right) dB from the FIFO, \(far) dB from the socket")
      let sources = try await rig.remote.get(rig.status.session).config.spatialAudio.sources
      #expect(sources.map(\.farEndID) == ["carol"])
    }
  }

  @Test func oneThatStallsIsSilentAndTheAgentReadsAtThePaceOfTheMicrophone() async throws {
    try await AgentRig.run { setup in
      setup.microphone = { _ in 0 }
      setup.configuration.programs.spareFarEnds = 2
    } _: { rig in
      let (alice, bob) = (try await Program(rig, "alice"), try await Program(rig, "bob"))
      alice.play(Self.noise, inRealTime: false)
      bob.play(Self.noise)
      try await eventually("both are heard") { level(rig.loudspeaker.played.suffix(3200)) > -15 }
      await bob.stall()
      try await rig.plays(.seconds(4))
      // The connection holds some of it, and the agent takes no more.
      let ahead = alice.written - rig.loudspeaker.played.count
      #expect(ahead < 60 * 16_000, "\(ahead) samples wait")
      let one = level(rig.loudspeaker.played.suffix(8000))
      #expect(abs(one - level(Self.noise)) < 2, "\(one) dB, not \(level(Self.noise)) dB")
      await alice.die()
      await bob.die()
    }
  }

  @Test func programsAreHeardWhileTheServerIsAway() async throws {
    try await AgentRig.run { setup in
      setup.microphone = { _ in 0 }
      setup.hasServer = false
      setup.configuration.programs.spareFarEnds = 1
    } _: { rig in
      let alice = try await Program(rig, "alice")
      alice.play(Self.noise)
      try await eventually("heard") { level(rig.loudspeaker.played.suffix(3200)) > -20 }
      await alice.die()
      try await eventually("gone") { try await !rig.edgeStatus().farEnds[0].playing }
      #expect(try await rig.edgeStatus().farEnds[0].name == "")
    }
  }

  @Test func aGainThatAProgramSetsIsHeardWhileTheServerIsAway() async throws {
    try await AgentRig.run { setup in
      setup.microphone = { _ in 0 }
      setup.hasServer = false
      setup.configuration.programs.spareFarEnds = 1
    } _: { rig in
      let alice = try await Program(rig, "alice")
      try await alice.send { $0.place.gainDb = -20 }
      alice.play(Self.noise)
      try await eventually("heard") { level(rig.loudspeaker.played.suffix(3200)) > -60 }
      let quiet = try await left(rig)
      #expect(abs(quiet - level(Self.noise) + 20) < 3, "\(quiet) dB")
      await alice.die()
    }
  }

  @Test func aFarEndIsReleasedWhenItsSoundIsTaken() async throws {
    try await AgentRig.run { setup in
      setup.microphone = { _ in 0 }
      setup.configuration.programs.spareFarEnds = 1
    } _: { rig in
      try await rig.running()
      let alice = try await Program(rig, "alice")
      let piece = [UInt8](repeating: 1, count: 3200)
      try await alice.send { $0.samples = Data(piece) }
      #expect(try await alice.end()?.samples == 1600)
      #expect(rig.agent.slots.ring(0).count == 0)
      #expect(try await !rig.edgeStatus().farEnds[0].playing)
    }
  }

  @Test func anEchoOfANamedFarEndIsRemoved() async throws {
    try await AgentRig.runWithEcho { setup in
      setup.configuration.programs.farEnd = nil
      var bob = EdgeConfiguration.FarEnd(id: "bob")
      bob.place = .fifo(path: setup.folder.path("far"))
      setup.configuration.programs.farEnds = [bob]
    } _: { rig, tap in
      try await rig.plays(.seconds(7))
      tap.clear()
      try await rig.plays(.seconds(1))
      let echo = level(Array(rig.loudspeaker.played.suffix(16_000))) + Air.decibels
      #expect(echo > -40 && echo - level(tap.samples) > 20, "\(echo) and \(level(tap.samples)) dB")
    }
  }

  @Test(arguments: ["0", "0.09", "101", "x"])
  func aDistanceIsInTheRangeThatThePagesName(distance: String) throws {
    func text(_ distance: String) -> String {
      "programs: {far_ends: [{id: a, distance_meters: \(distance)}]}"
    }
    let problem = problem(text(distance))
    #expect(
      problem.contains("distance_meters: \"\(distance)\" is not a number from 0.1 to 100"),
      "\(problem)")
    let least = try EdgeConfiguration.read(text("0.1"), file: "edge.yaml").values
    #expect(least.programs.farEnds.map(\.distance) == [0.1])
  }

  @Test func wrongFarEndsAreRefused() async throws {
    try await AgentRig.run { setup in
      setup.configuration.programs.spareFarEnds = 1
      var carol = EdgeConfiguration.FarEnd(id: "carol")
      carol.place = .fifo(path: setup.folder.path("carol"))
      setup.configuration.programs.farEnds = [carol, EdgeConfiguration.FarEnd(id: "dave")]
    } _: { rig in
      func refusal(
        of name: String, _ more: (Program) async throws -> Void = { _ in }
      ) async -> StatusCode {
        await code {
          let program = try await Program(rig, name)
          try await more(program)
          _ = try await program.end()
        }
      }
      #expect(await refusal(of: "") == .invalidArgument)
      #expect(await refusal(of: "a b") == .invalidArgument)
      do {
        _ = try await Program(rig, "carol").end()
        Issue.record("carol has an input")
      } catch let status as Status {
        #expect(status.code == .alreadyExists)
        #expect(status.message.contains("has the input fifo:"), "\(status)")
      }
      #expect(
        await refusal(of: "alice") { try await $0.send { $0.samples = Data([1]) } }
          == .invalidArgument)
      #expect(
        await refusal(of: "alice") { try await $0.send { $0.place.azimuthDegrees = .nan } }
          == .invalidArgument)
      #expect(
        await refusal(of: "alice") { try await $0.send { $0.start.name = "bob" } }
          == .invalidArgument)
      let alice = try await Program(rig, "alice")
      try await eventually("playing") {
        try await rig.edgeStatus().farEnds.contains { $0.name == "alice" && $0.playing }
      }
      #expect(await refusal(of: "alice") == .alreadyExists)
      #expect(await refusal(of: "bob") == .resourceExhausted)
      // A far end of the configuration has its own room.
      #expect(await refusal(of: "dave") == .ok)
      #expect(try await alice.end()?.samples == 0)
      #expect(await refusal(of: "bob") == .ok)
    }
  }
}
