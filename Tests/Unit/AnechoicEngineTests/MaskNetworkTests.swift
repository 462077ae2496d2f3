@testable import AnechoicEngine
import AudioCore
import TestAudio
import Testing

@Suite struct MaskNetworkTests {
  @Test func othersMayUseTheWorkMemoryBetweenFrames() throws {
    let alone = try Self.findings { _ in }
    let amongOthers = try Self.findings { work in
      var other = work
      let count = FloatArena.workCount
      other.array(count).update(repeating: .nan, count: count)
    }
    #expect(alone.allSatisfy { $0 > 0 && $0 < 1 })
    #expect(amongOthers == alone)
  }

  /// Returns the probability of a voice and the gains of some frames of random features. `work` is
  /// called before each frame with the memory that others may use then.
  private static func findings(_ work: (FloatArena) -> Void) throws -> [Float] {
    let arena = FloatArena.forWork()
    var network = MaskNetwork(
      weights: try EngineWeights.get().maskNetwork, kernels: .best, work: arena)
    let features = Signals.noise(10 * SpectralFeatures.count * Bands.count, amplitude: 1)
    var findings: [Float] = []
    for frame in 0..<10 {
      work(arena)
      for channel in 0..<SpectralFeatures.count {
        let first = (frame * SpectralFeatures.count + channel) * Bands.count
        let row = network.features.row(channel)
        for band in 0..<Bands.count { row[band] = features[first + band] }
      }
      findings.append(network.process())
      for row in [network.gains.echo, network.gains.noise, network.gains.competingVoices] {
        findings += UnsafeBufferPointer(start: row, count: Bands.count)
      }
    }
    return findings
  }
}
