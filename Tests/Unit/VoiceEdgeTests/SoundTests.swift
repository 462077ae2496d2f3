import AnechoicAPI
import AudioCore
import AudioFiles
import Foundation
import Glibc
import ScriptedDevices
import TestAudio
import Testing
import TestTime
import VoiceClient

@testable import VoiceEdge

/// The sound through an agent, with a server and without.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct SoundTests {
  @Test func speechAtTheMicrophoneIsRecordedFromAFIFO() async throws {
    try await AgentRig.run { setup in
      setup.configuration.programs.voice = .fifo(path: setup.folder.path("voice"))
    } _: { rig in
      let tap = FIFOTap(rig.folder.path("voice"))
      defer { tap.stop() }
      try await eventually("processed") { rig.status.latency.server > 0 }
      tap.clear()
      try await eventually("recorded") { tap.count > 16000 }
      let samples = tap.samples
      #expect(level(samples) > -40, "\(level(samples))")
      // The pauses between syllables are audible, so the sound is not noise.
      let parts = stride(from: 0, to: samples.count - 400, by: 400).map {
        level(samples[$0..<($0 + 400)])
      }
      #expect((parts.max() ?? 0) - (parts.min() ?? 0) > 15)
      #expect(try await rig.edgeStatus().latency.totalMs < 200)
    }
  }

  @Test func speechAtTheMicrophoneIsRecordedToAFile() async throws {
    var folder: Folder?
    try await AgentRig.run { setup in
      folder = setup.folder
      setup.configuration.programs.voice = .file(path: setup.folder.path("voice.wav"))
    } _: { rig in
      try await eventually("recorded") {
        ((try? Data(contentsOf: rig.folder.url.appendingPathComponent("voice.wav")))?.count ?? 0)
          > 40_000
      }
    }
    let file = try AudioFileReader(path: try #require(folder).path("voice.wav"))
    #expect(file.format.rate == .hz16000 && file.format.channelCount == 1)
    let samples = decode(try file.read(samples: file.sampleCount), file.format)[0]
    #expect(samples.count > 16000 && level(samples) > -40)
  }

  @Test(arguments: [true, false])
  func theFarEndIsHeardAtTheLoudspeaker(hasServer: Bool) async throws {
    let sine = (0..<1600).map { 0.25 * Float(sin(2 * Double.pi * 500 * Double($0) / 16000)) }
    try await AgentRig.run { setup in
      setup.hasServer = hasServer
      setup.microphone = { _ in 0 }
      setup.configuration.programs.farEnd = .fifo(path: setup.folder.path("far"))
    } _: { rig in
      let feed = FIFOFeed(rig.folder.path("far"), sine)
      defer { feed.stop() }
      try await eventually("heard") {
        let played = rig.loudspeaker.played.suffix(8000)
        return played.count == 8000 && abs(level(played) + 15.05) < 1.5
      }
      // An unchanged sine: two samples predict the next one.
      let heard = Array(rig.loudspeaker.played.suffix(4000))
      let factor = 2 * Float(cos(2 * Double.pi * 500 / 16000))
      let errors = (2..<heard.count).map { abs(heard[$0] - factor * heard[$0 - 1] + heard[$0 - 2]) }
      #expect(errors.filter { $0 > 0.01 }.count < 100)
    }
  }

  @Test func otherAudioIsHeardToo() async throws {
    let sine = (0..<1600).map { 0.25 * Float(sin(2 * Double.pi * 500 * Double($0) / 16000)) }
    try await AgentRig.run { setup in
      setup.microphone = { _ in 0 }
      setup.configuration.programs.otherAudio = .fifo(path: setup.folder.path("other"))
      setup.configuration.programs.otherAudioChannels = 1
    } _: { rig in
      let feed = FIFOFeed(rig.folder.path("other"), sine)
      defer { feed.stop() }
      try await eventually("heard") {
        let played = rig.loudspeaker.played.suffix(8000)
        return played.count == 8000 && level(played) > -50
      }
    }
  }

  @Test(arguments: [("pass-through", true), ("light", true), ("full", true), ("silence", false)])
  func withoutAServerTheFallbackGivesTheVoice(name: String, isHeard: Bool) async throws {
    try await AgentRig.run { setup in
      setup.hasServer = false
      setup.configuration.fallback = try #require(EdgeConfiguration.Fallback(rawValue: name))
      setup.configuration.programs.voice = .fifo(path: setup.folder.path("voice"))
    } _: { rig in
      let tap = FIFOTap(rig.folder.path("voice"))
      defer { tap.stop() }
      try await eventually("recorded") { tap.count > 16000 }
      #expect(tap.samples.suffix(8000).contains { $0 != 0 } == isHeard)
      #expect(try await !rig.edgeStatus().connected)
      #expect(try await rig.local.get("sessions/edge").labels["fallback"] == name)
    }
  }

  @Test func programsMayUseDevicesInThePlaceOfFIFOs() async throws {
    try await AgentRig.run { setup in
      setup.machine.addLoudspeaker("recorder")
      setup.configuration.programs.voice = .alsa("recorder")
      setup.machine.addMicrophone("player", partsPerMillion: 200) {
        0.25 * Float(sin(2 * Double.pi * 500 * $0))
      }
      setup.configuration.programs.farEnd = .alsa("player")
    } _: { rig in
      try await rig.running()
      try await eventually("the program's devices run") {
        ["voice", "far-end"].allSatisfy {
          if case .running = rig.state(of: $0) { true } else { false }
        }
      }
      try await eventually("heard") {
        let played = rig.loudspeaker.played.suffix(8000)
        return played.count == 8000 && abs(level(played) + 15.05) < 2
      }
      let roles = try await rig.edgeStatus().devices.map(\.role)
      #expect(roles == ["microphone", "loudspeaker", "far-end", "voice"])
    }
  }
}
