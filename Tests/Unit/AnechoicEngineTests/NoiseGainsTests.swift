@testable import AnechoicEngine
import AudioCore
import Foundation
import TestAudio
import Testing

struct NoiseGainsTests {
  /// The powers of bands of noise, which vary from frame to frame.
  private struct Noise: ~Copyable {
    private var generator = SeededGenerator(seed: 5)
    private let memory = FloatBuffer(Bands.count)

    /// Returns the powers of a frame whose noise has the mean power `power`, with a voice in band
    /// 10.
    mutating func next(_ power: Float, voice: Float = 0) -> UnsafePointer<Float> {
      for band in 0..<Bands.count {
        memory.start[band] = -power * logf(Float.random(in: 1e-6..<1, using: &generator))
      }
      memory.start[10] += voice
      return UnsafePointer(memory.start)
    }
  }

  /// The gains of the network, the same in all bands.
  private struct Found: ~Copyable {
    private let memory = FloatBuffer(3 * Bands.count)

    init(echo: Float) { memory.start.update(repeating: echo, count: Bands.count) }

    var gains: MaskNetwork.Gains {
      MaskNetwork.Gains(
        echo: memory.start, noise: memory.start + Bands.count,
        competingVoices: memory.start + 2 * Bands.count)
    }

    func setNoise(_ gain: Float) {
      (memory.start + Bands.count).update(repeating: gain, count: Bands.count)
    }
  }

  private func mean(_ values: UnsafePointer<Float>) -> Float {
    (0..<Bands.count).reduce(0) { $0 + values[$1] } / Float(Bands.count)
  }

  @Test func statisticsTellVoiceFromNoise() {
    var noise = Noise()
    var gain = LogSpectralGain(kernels: .best)
    for _ in 0..<200 { _ = gain.compute(noise.next(1e-4)) }
    #expect(gain.noisePower > 0.5e-4 && gain.noisePower < 2e-4, "\(gain.noisePower)")
    var logarithms: UnsafePointer<Float> = gain.compute(noise.next(1e-4))
    #expect(mean(logarithms) < -1)
    for _ in 0..<5 { logarithms = gain.compute(noise.next(1e-4, voice: 1e-1)) }
    #expect(logarithms[10] > -0.1 && mean(logarithms) < -1)
  }

  @Test func statisticsFollowNoiseThatGrowsForGood() {
    var noise = Noise()
    var gain = LogSpectralGain(kernels: .best)
    for _ in 0..<200 { _ = gain.compute(noise.next(1e-6)) }
    for _ in 0..<500 { _ = gain.compute(noise.next(1e-4)) }
    #expect(gain.noisePower > 0.5e-4 && gain.noisePower < 2e-4, "\(gain.noisePower)")
    for _ in 0..<100 { _ = gain.compute(noise.next(1e-6)) }
    #expect(gain.noisePower < 2e-6, "\(gain.noisePower)")
  }

  @Test(arguments: [0, 1e-30, 1, 1e12] as [Float])
  func allPowersGiveGains(power: Float) {
    var noise = Noise()
    var gain = LogSpectralGain(kernels: .best)
    for next in [1e-4, power, 1e-4, power] {
      for _ in 0..<20 {
        let logarithms = gain.compute(noise.next(next))
        #expect((0..<Bands.count).allSatisfy { logarithms[$0] <= 0 && logarithms[$0] > -10 })
      }
    }
  }

  /// Returns the mean gain of the bands after a voice and then noise, for which the network finds
  /// 0.5.
  private func gain(noisePower: Float, echo: Float = 1) -> Float {
    let found = Found(echo: echo)
    var noise = Noise()
    var gains = NoiseGains(kernels: .best)
    for frame in 0..<200 {
      let hasVoice = 50..<100 ~= frame
      found.setNoise(hasVoice ? 1 : 0.5)
      gains.compute(
        found.gains, powers: noise.next(noisePower, voice: hasVoice ? 0.8 : 0),
        voice: hasVoice ? 1 : 0)
    }
    return mean(gains.gains)
  }

  @Test func gainsOfTheNetworkFallSlowly() {
    let found = Found(echo: 0)
    let silence = FloatBuffer(Bands.count)
    var gains = NoiseGains(kernels: .best)
    var means: [Float] = []
    for gain in [1, 0.001, 0.001] as [Float] {
      found.setNoise(gain)
      gains.compute(found.gains, powers: silence.start, voice: 1)
      means.append(mean(gains.gains))
    }
    #expect(zip(means, [1, 0.8, 0.64]).allSatisfy { abs($0 - $1) < 1e-3 }, "\(means)")
  }

  /// Statistics take the first frames for noise, which may be a voice.
  @Test func statisticsWaitForFramesWithoutVoice() {
    let found = Found(echo: 0.5)
    found.setNoise(0.5)
    var noise = Noise()
    var gains = NoiseGains(kernels: .best)
    var means: [Float] = []
    for frame in 0..<60 {
      gains.compute(found.gains, powers: noise.next(1e-2), voice: frame < 40 ? 1 : 0)
      means.append(mean(gains.gains))
    }
    #expect(means[..<40].allSatisfy { $0 == 0.5 }, "\(means)")
    #expect(means[41] < 0.5 && means[59] < means[41], "\(means)")
  }

  @Test func statisticsCountInLoudNoiseAlone() {
    #expect(gain(noisePower: 1e-2) < 0.25)
    #expect(gain(noisePower: 1e-5) == 0.5)
  }

  @Test func statisticsLeaveEchoToTheNetwork() {
    #expect(abs(gain(noisePower: 1e-2, echo: 0.01) - 0.5) < 0.01)
  }
}
