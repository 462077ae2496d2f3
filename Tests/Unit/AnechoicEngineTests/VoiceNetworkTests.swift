@testable import AnechoicEngine
import AudioCore
import TestAudio
import Testing

struct VoiceNetworkTests {
  /// The values of the mask network's state.
  private static let count = 96

  /// The input of a network.
  private struct Input: ~Copyable {
    private let memory = FloatBuffer(2 * VoiceNetworkTests.count)
    private let results = FloatBuffer(
      BandRows.count(channels: SpectralFeatures.count, bands: Bands.count))

    private var rows: BandRows {
      BandRows(at: results.start, channels: SpectralFeatures.count, bands: Bands.count)
    }

    /// Sets all values of a frame.
    func fill(state: (Int) -> Float, feature: (Int) -> Float) {
      for index in 0..<(2 * count) { memory.start[index] = state(index) }
      let rows = rows
      for channel in 0..<SpectralFeatures.count {
        for band in 0..<Bands.count {
          rows.row(channel)[band] = feature(channel * Bands.count + band)
        }
      }
    }

    func probability(_ network: borrowing VoiceNetwork) -> Float {
      network.process(memory.start, memory.start + count, count: count, rows)
    }
  }

  private static func network(_ kernels: Kernels) throws -> VoiceNetwork {
    VoiceNetwork(
      weights: try VoiceNetwork.Weights(EngineWeights.file(), count: Self.count), kernels: kernels)
  }

  /// Returns the probabilities of frames whose values are random.
  private static func probabilities(
    _ network: borrowing VoiceNetwork, frames: Int, seed: UInt32 = 1
  ) -> [Float] {
    let input = Input()
    let row = SpectralFeatures.count * Bands.count
    let states = Signals.noise(frames * 2 * count, amplitude: 1, seed: seed)
    let features = Signals.noise(frames * row, amplitude: 2, seed: seed + 1)
    return (0..<frames).map { frame in
      input.fill(
        state: { states[frame * 2 * count + $0] }, feature: { features[frame * row + $0] })
      return input.probability(network)
    }
  }

  @Test(arguments: Kernels.available)
  func aCallThatBeginsAnewForgetsTheOneBefore(kernels: Kernels) throws {
    let network = try Self.network(kernels)
    let first = Self.probabilities(network, frames: 20)
    let remembering = Self.probabilities(network, frames: 20)
    network.reset()
    let anew = Self.probabilities(network, frames: 20)
    #expect(anew == first)
    #expect(remembering != first, "the network remembers a call")
  }

  @Test(arguments: Kernels.available)
  func callsAreIndependent(kernels: Kernels) throws {
    let network = try Self.network(kernels)
    let other = try Self.network(kernels)
    _ = Self.probabilities(other, frames: 20, seed: 7)
    let found = Self.probabilities(network, frames: 20)
    other.reset()
    #expect(Self.probabilities(other, frames: 20) == found)
  }

  @Test(arguments: Kernels.available, [0, 1, 1e3, 1e6, 1e30] as [Float])
  func extremeFeaturesGiveProbabilities(kernels: Kernels, amplitude: Float) throws {
    let network = try Self.network(kernels)
    let input = Input()
    // Equal signs would hide sums in which large values cancel each other.
    let signs: [(Int) -> Float] = [{ _ in 1 }, { _ in -1 }, { $0 % 2 == 0 ? 1 : -1 }]
    for frame in 0..<30 {
      let sign = signs[frame % signs.count]
      input.fill(state: sign, feature: { amplitude * sign($0) })
      let found = input.probability(network)
      #expect(found.isFinite && (0...1).contains(found), "frame \(frame): \(found)")
    }
    let after = Self.probabilities(network, frames: 5)
    #expect(after.allSatisfy { $0.isFinite && (0...1).contains($0) }, "\(after)")
  }

  @Test(arguments: Kernels.available)
  func kernelsDifferByRoundingOnly(kernels: Kernels) throws {
    let expected = Self.probabilities(try Self.network(.best), frames: 50)
    let found = Self.probabilities(try Self.network(kernels), frames: 50)
    #expect(zip(found, expected).allSatisfy { abs($0 - $1) < 1e-4 })
  }
}
