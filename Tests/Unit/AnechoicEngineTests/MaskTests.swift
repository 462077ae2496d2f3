@testable import AnechoicEngine
import AudioCore
import Testing
import VoiceEngines

struct MaskTests {
  /// The network's gains, the same for all bands.
  private struct Found {
    var echo: Float = 1
    var noise: Float = 1
    var competingVoices: Float = 1
  }

  private static let bins = Bands.mostBins
  private static let power: Float = 1e-4
  private static let standard = EngineSettings(
    echoSuppression: .moderate, noiseSuppression: .moderate)

  /// Calls `check` with the mask after frames of a voice whose bands have the same power.
  private func mask(
    _ settings: EngineSettings = standard, after frames: [Found], kernels: Kernels = .best,
    _ check: (borrowing Mask) -> Void
  ) {
    let count = Bands.count
    let memory = FloatBuffer(4 * count)
    let rows = (0..<4).map { memory.start + $0 * count }
    rows[3].update(repeating: Self.power, count: count)
    let gains = MaskNetwork.Gains(echo: rows[0], noise: rows[1], competingVoices: rows[2])
    var mask = Mask(bins: Self.bins, kernels: kernels)
    for found in frames {
      rows[0].update(repeating: found.echo, count: count)
      rows[1].update(repeating: found.noise, count: count)
      rows[2].update(repeating: found.competingVoices, count: count)
      mask.record(gains, powers: rows[3], voice: 1)
      mask.compute(
        gains, competingVoices: rows[2], MaskLimits(settings).values, error: rows[3])
    }
    check(mask)
  }

  @Test func gainsOfOneLetEverythingPass() {
    mask(EngineSettings(echoSuppression: .moderate), after: [Found()]) { mask in
      #expect((0..<Self.bins).allSatisfy { abs(mask.gains[$0] - 1) < 1e-3 })
      #expect(mask.echoShare == 0 && mask.residualEcho == 0)
    }
  }

  @Test func aStrongerSettingSuppressesMoreEcho() {
    var powers: [Float] = []
    for strength in EngineSettings.EchoSuppression.allCases {
      mask(EngineSettings(echoSuppression: strength), after: [Found(echo: 0.05)]) {
        powers.append($0.powerAfterEcho / Self.power)
      }
    }
    #expect(powers[0] > powers[1] && powers[1] > powers[2])
    // LOW leaves the echo at -18 dB.
    #expect(abs(powers[0] - 0.0158) < 0.001, "\(powers)")
  }

  @Test func noiseFallsToItsLimits() {
    mask(after: [Found](repeating: Found(noise: 0.001), count: 40)) { mask in
      #expect(abs(mask.gains[10] - 0.01) < 1e-4)
      #expect(abs(mask.gains[100] - 0.004) < 1e-4)
    }
  }

  @Test(arguments: Kernels.available)
  func kernelsDifferByRoundingOnly(kernels: Kernels) {
    let found = Found(echo: 0.3, noise: 0.5, competingVoices: 0.7)
    var expected: [Float] = []
    mask(after: [found]) { mask in expected = (0..<Self.bins).map { mask.gains[$0] } }
    mask(after: [found], kernels: kernels) { mask in
      #expect((0..<Self.bins).allSatisfy { abs(mask.gains[$0] - expected[$0]) < 1e-5 })
    }
  }

  @Test func anOpenMaskKnowsNoEcho() {
    var mask = Mask(bins: Self.bins)
    mask.open(power: 1e-3)
    let (before, after, power) = (mask.echoShare, mask.residualEcho, mask.powerAfterEcho)
    #expect(before == nil && after == nil && power == 1e-3)
  }
}
