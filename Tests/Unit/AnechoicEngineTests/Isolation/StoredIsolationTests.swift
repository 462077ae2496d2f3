import AudioCore
import Foundation
import Testing
import VoiceEngines

@testable import AnechoicEngine

/// A call of 1 s and what PyTorch makes of it with the weights of the executable, as
/// `training/isolation/store.py` writes them.
struct StoredIsolationTests {
  private static let gains = Bands.count + 1
  private static let values = Bands.count + VoiceEncoder.count + 2 * gains
  private static let frames = 100

  /// Processes the powers of all frames, and returns the gains and probabilities.
  private static func process(_ stored: [Float], _ isolation: inout VoiceIsolation) -> [Float] {
    let memory = FloatBuffer(2 * Bands.count)
    let (powers, echo) = (memory.start, memory.start + Bands.count)
    echo.update(repeating: 1, count: Bands.count)
    var found: [Float] = []
    for frame in 0..<frames {
      for band in 0..<Bands.count { powers[band] = stored[frame * values + band] }
      isolation.process(powers, echo: echo, voice: 1, isolates: true)
      if frame < frames / 2 { isolation.hearSureVoice(most: .max) }
      found += UnsafeBufferPointer(start: isolation.gains, count: Bands.count)
      found.append(isolation.probability)
    }
    return found
  }

  private static func difference(_ found: [Float], _ stored: [Float], from first: Int) -> Float {
    var worst: Float = 0
    for frame in 0..<frames {
      for index in 0..<gains {
        worst = max(
          worst, abs(found[frame * gains + index] - stored[frame * values + first + index]))
      }
    }
    return worst
  }

  @Test(arguments: Kernels.available)
  func theEngineComputesAsTheFrameworkThatTrainedIt(kernels: Kernels) throws {
    let stored = try StoredFile.floats("isolation.f32")
    try #require(stored.count == Self.frames * Self.values)
    var isolation = VoiceIsolation(weights: try IsolationWeights.get(), kernels: kernels)
    isolation.beginEnrollment()
    let first = Bands.count + VoiceEncoder.count
    let nearest = Self.process(stored, &isolation)
    #expect(Self.difference(nearest, stored, from: first) < 1e-3, "\(kernels)")
    #expect(isolation.progress?.frames == Self.frames / 2)
    let voiceprint = isolation.voiceprint
    var enrolled = VoiceIsolation(weights: try IsolationWeights.get(), kernels: kernels)
    enrolled.isolate(voiceprint)
    let found = Self.process(stored, &enrolled)
    #expect(Self.difference(found, stored, from: first + Self.gains) < 1e-3, "\(kernels)")
    #expect(Self.difference(found, stored, from: first) > 1e-3, "the voiceprint has no effect")
  }
}
