import Testing

@testable import EdgeAudio

/// The encodings of devices.
struct PCMCodingTests {
  private func bytes(_ coding: PCMCoding, _ samples: [Float]) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: samples.count * coding.bytesPerSample)
    bytes.withUnsafeMutableBytes { coding.encode(samples, into: $0, count: samples.count) }
    return bytes
  }

  private func samples(_ coding: PCMCoding, _ bytes: [UInt8]) -> [Float] {
    var bytes = bytes
    var samples = [Float](repeating: 9, count: bytes.count / coding.bytesPerSample)
    let count = samples.count
    bytes.withUnsafeMutableBytes { coding.decode($0, into: &samples, count: count) }
    return samples
  }

  @Test(arguments: PCMCoding.allCases)
  func samplesSurviveEachEncoding(_ coding: PCMCoding) {
    let all: [Float] = [0, 0.25, -0.25, -1, 32767 / 32768, 1 / 32768, -1 / 32768]
    #expect(samples(coding, bytes(coding, all)) == all)
  }

  @Test(arguments: PCMCoding.allCases)
  func whatIsTooLoudIsClipped(_ coding: PCMCoding) {
    let heard = samples(coding, bytes(coding, [2, -2]))
    #expect(heard[0] > 0.9999 && heard[0] <= 1 && heard[1] == -1)
  }

  @Test func twentyFourBitsLieInTheLowerPart() {
    #expect(bytes(.s24, [-1 / 8_388_608]) == [0xff, 0xff, 0xff, 0xff])
    #expect(bytes(.s24, [0.5]) == [0, 0, 0x40, 0])
    #expect(bytes(.s24Packed, [0.5]) == [0, 0, 0x40])
    // The upper part does not count, whatever a device leaves there.
    #expect(samples(.s24, [0, 0, 0x40, 0x77]) == [0.5])
  }
}
