import AnechoicAPI
import AudioCore
import EdgeRig
import Foundation
import SoundCards
import TestAudio
import Testing

/// Cards with more than two channels, of which the agent uses some.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ChannelMapRigTests {
  struct Card: Sendable {
    var coding: SoundCards.Coding
    var rate: Int
    /// The positions that the cards report. Nil for cards that report none.
    var map: String?
    var channels: Int
    /// The channel of the microphone, and those of the loudspeakers, in the configuration and by
    /// number.
    var input: (name: String, number: Int)
    var output: (names: String, numbers: [Int])
  }

  static let cards = [
    Card(
      coding: .s16, rate: 44100, channels: 4, input: ("3", 3), output: ("RL, RR", [3, 4])),
    Card(
      coding: .s24Packed, rate: 48000, map: "FL FR FC LFE SL SR", channels: 6,
      input: ("FC", 3), output: ("SR, SL", [6, 5])),
    Card(
      coding: .s32, rate: 48000, channels: 4, input: ("FR", 2), output: ("4, 1", [4, 1])),
    Card(
      coding: .s24Packed, rate: 44100, channels: 6, input: ("LFE", 6), output: ("5", [5])),
    Card(coding: .s24, rate: 48000, channels: 8, input: ("SR", 8), output: ("SL, SR", [7, 8])),
  ]

  /// The frequency in Hz of the tone on a channel. A second has whole periods.
  private static func frequency(_ channel: Int) -> Double { 200 + 150 * Double(channel) }

  private func tones(_ channels: Int, rate: Int, seconds: Int) -> [Float] {
    let second: [Float] = (0..<rate).flatMap { index in
      (1...channels).map { channel in
        Float(0.1 * sin(2 * .pi * Self.frequency(channel) * Double(index) / Double(rate)))
      }
    }
    return (0..<seconds).flatMap { _ in second }
  }

  /// Returns the amplitude of a channel's tone in samples.
  private func amplitude(_ channel: Int, in samples: ArraySlice<Float>, rate: Int) -> Double {
    var (real, imaginary) = (0.0, 0.0)
    for (index, sample) in samples.enumerated() {
      let phase = 2 * .pi * Self.frequency(channel) * Double(index) / Double(rate)
      real += Double(sample) * cos(phase)
      imaginary += Double(sample) * sin(phase)
    }
    return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(max(1, samples.count))
  }

  @Test(arguments: cards)
  func onlyTheChannelsOfTheMapAreUsed(card: Card) async throws {
    let machine = try SoundCards(products: products)
    defer { machine.stop() }
    for name in ["microphone", "loudspeaker"] {
      try machine.plug(name, channels: card.channels, rate: card.rate)
      try machine.define(name, card: name, card.coding, map: card.map)
    }
    let edge = try RunningEdge(
      environment: machine.environment, products: products, arguments: ["--far-end-channels", "2"],
      configuration: """
        session: {config: {voice_processing: {bypassed: true}}}
        routes: {ports: [{id: array, input: microphone, output: loudspeaker,
          input_channel_map: [\(card.input.name)], output_channel_map: [\(card.output.names)]}]}
        """)
    defer { edge.stop() }
    try #require(await edge.wait { $0.runs } != nil, "\(edge.agentLog)")
    try machine.play(
      tones(card.channels, rate: card.rate, seconds: 20), on: "microphone", card.coding,
      channels: card.channels, rate: card.rate)
    edge.farEnd.play(tones(2, rate: 48000, seconds: 2), isRepeated: true)
    let played = try machine.record(
      "loudspeaker", card.coding, channels: card.channels, rate: card.rate)
    var (voice, sounds) = (edge.voice.samples[...], [[Float]]())
    // Until half a second without an interruption of a busy machine has come.
    let isHeard = await edge.wait { _ in
      voice = edge.voice.samples.suffix(24000)
      sounds = (1...card.channels).map {
        Array(played.samples(ofChannel: $0).suffix(card.rate / 2))
      }
      return amplitude(card.input.number, in: voice, rate: 48000) > 0.05
        && card.output.numbers.enumerated().allSatisfy { side, channel in
          amplitude(side + 1, in: sounds[channel - 1][...], rate: card.rate) > 0.02
        }
    }
    try #require(isHeard != nil, "\(edge.agentLog)")
    for channel in 1...card.channels {
      let heard = amplitude(channel, in: voice, rate: 48000)
      #expect(channel == card.input.number ? heard > 0.05 : heard < 0.002, "\(channel): \(heard)")
      let sound = sounds[channel - 1][...]
      guard let side = card.output.numbers.firstIndex(of: channel) else {
        #expect(sound.allSatisfy { $0 == 0 }, "\(channel) is not silent")
        continue
      }
      #expect(amplitude(side + 1, in: sound, rate: card.rate) > 0.02, "\(channel)")
      if card.output.numbers.count == 2 {
        #expect(amplitude(2 - side, in: sound, rate: card.rate) < 0.002, "\(channel)")
      }
    }
  }

  @Test(arguments: [
    (
      "input_channel_map: [7]",
      "capture device \"microphone\": has no channel 7; it has 4 channels: FL, "
    ),
    (
      "input_channel_map: [1], reference_channel_map: [LFE]",
      "has no channel LFE; it has 4 channels: FL, "
    ),
    (
      "output_channel_map: [FL, FC]", "playback device \"loudspeaker\": has no channel FC; it has 4"
    ),
  ])
  func aChannelThatTheCardDoesNotHaveIsNamed(map: String, words: String) throws {
    let machine = try SoundCards(products: products)
    defer { machine.stop() }
    for name in ["microphone", "loudspeaker"] {
      try machine.plug(name, channels: 4)
      try machine.define(name, card: name)
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "edge.yaml")
    try "routes: {ports: [{id: a, input: microphone, output: loudspeaker, \(map)}]}\n".write(
      to: file, atomically: true, encoding: .utf8)
    let agent = Process()
    agent.executableURL = products.appending(path: "anechoic-edge")
    agent.arguments = ["run", "--config", file.path, "--control-socket", "none"]
    agent.environment = ProcessInfo.processInfo.environment.merging(machine.environment) { $1 }
    let errors = Pipe()
    agent.standardError = errors
    try agent.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    agent.waitUntilExit()
    #expect(agent.terminationStatus == 2 && text.contains(words), "\(text)")
  }
}
