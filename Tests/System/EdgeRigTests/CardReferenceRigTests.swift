import AnechoicAPI
import AudioCore
import EdgeRig
import Foundation
import SoundCards
import TestAudio
import Testing

/// The echo of another program on a machine without a sound server.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct CardReferenceRigTests {
  /// The sources of a reference that hears all programs.
  enum Source: CaseIterable {
    /// A capture PCM beside the card, as the other side of `snd-aloop`, with a clock of its own.
    case loopback
    /// Channels of the microphone's card.
    case channels

    var configuration: String {
      switch self {
      case .loopback:
        "audio: {reference: \"alsa:loop\"}\n"
          + "routes: {ports: [{id: desk, input: mic, output: speaker}]}"
      case .channels:
        """
        routes: {ports: [{id: desk, input: mic, output: speaker, input_channel_map: [1],
          reference_channel_map: [3, 4]}]}
        """
      }
    }
  }

  @Test(arguments: Source.allCases)
  func theEchoOfAnotherProgramIsCancelled(source: Source) async throws {
    let cards = try SoundCards(products: products)
    defer { cards.stop() }
    try cards.plug("loudspeaker", channels: 2)
    try cards.plug("microphone", channels: 4, partsPerMillion: -60)
    try cards.plug("loop", channels: 2, partsPerMillion: 90)
    try cards.define("speaker", card: "loudspeaker", .s24Packed)
    try cards.define("mic", card: "microphone", .s32, hears: "loudspeaker", direct: 3)
    try cards.define("loop", card: "loop", hears: "loudspeaker", direct: 1)
    let edge = try RunningEdge(
      environment: cards.environment, products: products, configuration: source.configuration)
    defer { edge.stop() }
    try #require(await edge.wait { $0.runs } != nil, "\(edge.agentLog)")
    let room = try cards.record("mic", .s32, channels: 4)
    let babble = Signals.babble(30 * 48000, rate: .hz48000)
    try cards.play(babble.flatMap { [$0, $0] }, on: "speaker", .s24Packed, channels: 2)
    // The canceller has 5 s, and a busy machine may need more.
    let end = ContinuousClock.now + .seconds(25)
    var levels = (0.0, 0.0)
    repeat {
      try await Task.sleep(for: .milliseconds(500))
      levels = (
        Loudness.median(room.samples(ofChannel: 1)), Loudness.median(edge.voice.samples)
      )
    } while ContinuousClock.now < end && !(levels.0 > -45 && levels.1 < levels.0 - 25)
    #expect(levels.0 > -45 && levels.1 < levels.0 - 25, "\(levels) dBFS; \(edge.agentLog)")
  }
}
