import AudioCore
import Testing
import VoiceSessions

@testable import VoiceServer

/// The predicted time of the parts of a session beside its engine.
struct PartCostsTests {
  private let costs = PartCosts(
    source: .microseconds(30), decoder: .microseconds(12), encoder: .microseconds(40),
    fullestEncoder: .microseconds(240))

  @Test func aSessionOfPlainSamplesHasNone() {
    let format = AudioFormat(encoding: .s16, rate: .hz48000, channelCount: 2)
    var setup = SessionSetup(microphone: format, reference: format)
    setup.farEnd = format
    setup.playback = format
    #expect(costs.time(of: setup) == .zero)
  }

  @Test func eachSourceCountsWhereItCanBeRendered() {
    let mono = AudioFormat(encoding: .s16, rate: .hz48000, channelCount: 1)
    var setup = SessionSetup(microphone: mono)
    setup.farEnds = (0..<16).map { NamedFarEnd(id: "guest-\($0)", format: mono) }
    setup.playback = mono
    #expect(costs.time(of: setup) == .zero, "a playback of one channel is mixed down")
    setup.playback = AudioFormat(encoding: .s16, rate: .hz48000, channelCount: 2)
    #expect(costs.time(of: setup) == .microseconds(480))
    setup.playback = AudioFormat(encoding: .s16, rate: .hz24000, channelCount: 2)
    #expect(costs.time(of: setup) == .microseconds(240))
  }

  @Test func opusCountsByRateChannelsAndComplexity() {
    func opus(_ rate: SampleRate, _ channels: Int, complexity: Int = 0) -> AudioFormat {
      .opus(
        rate, channelCount: channels, OpusSettings(channelCount: channels, complexity: complexity))
    }
    var setup = SessionSetup(
      microphone: opus(.hz48000, 1),
      processed: AudioFormat(encoding: .s16, rate: .hz48000, channelCount: 1))
    #expect(costs.time(of: setup) == .microseconds(12))
    setup.processed = opus(.hz48000, 1)
    #expect(costs.time(of: setup) == .microseconds(52))
    setup.processed = opus(.hz48000, 1, complexity: 5)
    #expect(costs.time(of: setup) == .microseconds(152))
    setup.playback = opus(.hz24000, 2, complexity: 10)
    #expect(costs.time(of: setup) == .microseconds(392))
    setup.farEnd = opus(.hz24000, 1)
    #expect(costs.time(of: setup) == .microseconds(398))
    setup.recognizer = opus(.hz24000, 1)
    #expect(costs.time(of: setup) == .microseconds(418))
    setup.raw = opus(.hz48000, 1)
    #expect(costs.time(of: setup) == .microseconds(458))
  }

  @Test func thisMachinesCostsAreMeasured() {
    #expect(PartCosts.measureSource() > .zero)
    let opus = PartCosts.measureOpus()
    #expect(opus.decoder > .zero && opus.encoder > .zero && opus.fullest > opus.encoder)
  }
}
