import AudioCore
import Testing

@testable import AnechoicEngine

/// A sound of 2 s and what PyTorch makes of it with the weights of the executable, as
/// `training/other-sounds/store.py` writes them.
struct StoredOtherSoundsTests {
  private static let values = PartialFeatures.step + PartialFeatures.count + 1
  private static let steps = 100

  /// Returns the largest difference of the features, and of the probability, from what is stored.
  private static func differences(
    _ stored: [Float], _ kernels: Kernels
  ) throws -> (features: Float, probability: Float) {
    var features = PartialFeatures(kernels: kernels)
    var detector = OtherSoundDetector(weights: try OtherSoundDetector.weights(), kernels: kernels)
    var worst: (features: Float, probability: Float) = (0, 0)
    try stored.withUnsafeBufferPointer {
      let start = try #require($0.baseAddress)
      for step in 0..<steps {
        let samples = start + step * values
        let expected = samples + PartialFeatures.step
        features.add(samples)
        for index in 0..<PartialFeatures.count {
          worst.features = max(
            worst.features, abs(features.current[index] - expected[index]))
        }
        for half in 0..<2 { detector.record(samples + half * PartialFeatures.step / 2) }
        worst.probability = max(
          worst.probability,
          abs(detector.probability - expected[PartialFeatures.count]))
      }
    }
    return worst
  }

  @Test(arguments: Kernels.available)
  func theEngineComputesAsTheFrameworkThatTrainedIt(kernels: Kernels) throws {
    let stored = try StoredFile.floats("other-sounds.f32")
    try #require(stored.count == Self.steps * Self.values)
    let worst = try Self.differences(stored, kernels)
    #expect(worst.features < 2e-3, "\(kernels)")
    #expect(worst.probability < 2e-3, "\(kernels)")
  }
}
