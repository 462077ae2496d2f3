@testable import AnechoicEngine
import AudioCore
import Foundation
import Testing

/// A call of 1 s and what PyTorch makes of it with the weights of the executable, as
/// `training/store.py` writes them.
@Suite struct StoredCallTests {
  /// Each kind of processor computes the same within a bound; on one processor, a call always gives
  /// the same bits.
  @Test(arguments: Kernels.available)
  func theEngineComputesAsTheFrameworkThatTrainedIt(kernels: Kernels) throws {
    let expected = try StoredFile.floats("expected.f32")
    let found = try Self.process(kernels)
    try #require(found.count == expected.count)
    let worst = zip(found, expected).reduce(0) { max($0, abs($1.0 - $1.1)) }
    #expect(worst < 1e-4, "\(kernels)")
  }

  private static func process(_ kernels: Kernels) throws -> [Float] {
    let samples = try StoredFile.data("call.s16").withUnsafeBytes {
      Array($0.bindMemory(to: Int16.self)).map { Float(Int16(littleEndian: $0)) / 32768 }
    }
    let hop = NetworkProbe.hop
    let frames = samples.count / 2 / hop
    var probe = try NetworkProbe(EngineWeights.file(), kernels: kernels)
    var values = [Float](repeating: 0, count: NetworkProbe.valueCount)
    var result: [Float] = []
    for frame in 0..<frames {
      try samples.withUnsafeBufferPointer {
        let start = try #require($0.baseAddress)
        probe.process(
          microphone: start + frame * hop, reference: start + (frames + frame) * hop, into: &values)
      }
      result += values
    }
    return result
  }
}
