import AudioCore
import TestAudio
import Testing

@testable import VoiceSessions

struct ChimeTests {
  @Test(arguments: SampleRate.allCases)
  func muteFallsAndUnmuteRises(rate: SampleRate) {
    let (mute, unmute) = (sound([.mute], rate), sound([.unmute], rate))
    let tone = rate.hertz * 80 / 1000
    #expect(abs(pitch(mute[..<tone], rate) - 880) < 30)
    #expect(abs(pitch(mute[tone..<(2 * tone)], rate) - 587) < 30)
    #expect(abs(pitch(unmute[..<tone], rate) - 587) < 30)
    #expect(abs(pitch(unmute[tone..<(2 * tone)], rate) - 880) < 30)
  }

  @Test(arguments: SampleRate.allCases)
  func theChimeIsQuietShortAndWithoutAClick(rate: SampleRate) {
    for kind in [Chime.Kind.mute, .unmute] {
      let sound = sound([kind], rate)
      let tone = rate.hertz * 80 / 1000
      #expect(sound[(2 * tone)...].allSatisfy { $0 == 0 })
      #expect(sound[(2 * tone - rate.hertz / 100)..<(2 * tone)].contains { $0 != 0 })
      let peak = sound.map { abs($0) }.max() ?? 0
      #expect(peak > 0.09 && peak <= 0.1)
      // The signal is never steeper than its highest tone at full level, especially at its edges.
      let steepest = 0.1 * 2 * Float.pi * 880 / Float(rate.hertz)
      #expect(largestStep(sound[...]) < steepest * 1.05)
      let edge = max(2, rate.hertz / 2000)
      for edge in [sound[..<edge], sound[(2 * tone - edge)..<(2 * tone + edge)]] {
        #expect(edge.allSatisfy { abs($0) < 0.005 })
      }
    }
  }

  @Test func theChimeIsAddedToEveryChannel() {
    let frame = Frame(rate: .hz16000, channelCount: 2)
    frame.plane(0).update(repeating: 0.25)
    var chime = Chime(rate: .hz16000)
    chime.start(.mute)
    chime.add(to: frame)
    #expect(zip(frame.plane(0), frame.plane(1)).allSatisfy { abs($0 - 0.25 - $1) < 1e-6 })
    #expect(frame.plane(1).contains { $0 != 0 })
  }

  @Test func aSecondChimeSoundsAfterTheFirst() {
    let both = sound([.mute, .unmute], .hz16000)
    let length = 2 * 1280
    #expect(both[..<length].elementsEqual(sound([.mute], .hz16000)[..<length]))
    #expect(both[length..<(2 * length)].elementsEqual(sound([.unmute], .hz16000)[..<length]))
  }

  @Test func withoutAGestureThereIsSilence() {
    #expect(sound([], .hz48000).allSatisfy { $0 == 0 })
  }

  /// Returns 400 ms, with all chimes started at the beginning.
  private func sound(_ kinds: [Chime.Kind], _ rate: SampleRate) -> [Float] {
    var chime = Chime(rate: rate)
    for kind in kinds { chime.start(kind) }
    let frame = Frame(rate: rate, channelCount: 1)
    return (0..<40).flatMap { _ in
      frame.clear()
      chime.add(to: frame)
      return Array(frame.plane(0))
    }
  }

  /// Returns the pitch in Hz, measured by zero crossings.
  private func pitch(_ sound: ArraySlice<Float>, _ rate: SampleRate) -> Float {
    let passages = zip(sound, sound.dropFirst()).filter { $0 <= 0 && $1 > 0 }.count
    return Float(passages) * Float(rate.hertz) / Float(sound.count)
  }

  private func largestStep(_ sound: ArraySlice<Float>) -> Float {
    zip(sound, sound.dropFirst()).map { abs($0 - $1) }.max() ?? 0
  }
}
