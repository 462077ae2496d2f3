import Foundation
import Inference
import Testing

@testable import AnechoicEngine

/// A call of 1 s and what PyTorch makes of it with the weights of the executable, as
/// `training/store.py` writes them.
@Suite struct StoredCallTests {
  private static func stored(_ name: String) throws -> Data {
    let file = try #require(
      Bundle.module.url(forResource: name, withExtension: nil, subdirectory: "Stored"))
    return try Data(contentsOf: file)
  }

  @Test func theEngineComputesAsTheFrameworkThatTrainedIt() throws {
    let samples = try Self.stored("call.s16").withUnsafeBytes {
      Array($0.bindMemory(to: Int16.self)).map { Float(Int16(littleEndian: $0)) / 32768 }
    }
    let expected = try Self.stored("expected.f32").withUnsafeBytes {
      Array($0.bindMemory(to: UInt32.self)).map { Float(bitPattern: UInt32(littleEndian: $0)) }
    }
    let (hop, valueCount) = (NetworkProbe.hop, NetworkProbe.valueCount)
    let frames = samples.count / 2 / hop
    #expect(expected.count == frames * valueCount)
    var probe = try NetworkProbe(EngineWeights.file())
    var values = [Float](repeating: 0, count: valueCount)
    var worst: Float = 0
    for frame in 0..<frames {
      samples.withUnsafeBufferPointer {
        probe.process(
          microphone: $0.baseAddress! + frame * hop,
          reference: $0.baseAddress! + (frames + frame) * hop, into: &values)
      }
      for (value, wanted) in zip(values, expected[(frame * valueCount)...]) {
        worst = max(worst, abs(value - wanted))
      }
    }
    #expect(worst < 1e-3)
  }
}
