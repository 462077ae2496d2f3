import AudioCore
import Foundation
import TestAudio
import Testing

@testable import AnechoicEngine

@Suite struct ShortTimeTransformTests {
  @Test(arguments: [80, 160, 320, 480])
  func spectraThatAreNotChangedGiveBackTheSamples(hop: Int) {
    let transform = ShortTimeTransform(hop: hop)
    let sound = Signals.noise(20 * hop, amplitude: 1)
    let memory = FloatBuffer(2 * transform.row)
    let spectrum = Spectrum(real: memory.start, imaginary: memory.start + transform.row)
    let tail = FloatBuffer(hop)
    var output = [Float](repeating: 0, count: hop)
    for frame in 1..<20 {
      sound.withUnsafeBufferPointer {
        transform.analyze($0.baseAddress! + (frame - 1) * hop, into: spectrum)
      }
      transform.synthesize(spectrum, tail: tail.start, into: &output)
      guard frame > 1 else { continue }
      for index in 0..<hop {
        #expect(abs(output[index] - sound[(frame - 1) * hop + index]) < 1e-5)
      }
    }
  }

  @Test(arguments: [80, 160, 320, 480])
  func aToneHasTheSamePowerAtEachRate(hop: Int) {
    let transform = ShortTimeTransform(hop: hop)
    let memory = FloatBuffer(2 * transform.row)
    let spectrum = Spectrum(real: memory.start, imaginary: memory.start + transform.row)
    let tone = (0..<(2 * hop)).map { sin(2 * Float.pi * 1000 * Float($0) / Float(100 * hop)) }
    transform.analyze(tone, into: spectrum)
    let (real, imaginary) = (spectrum.real[20], spectrum.imaginary[20])
    #expect(abs(real * real + imaginary * imaginary - 64.8) < 0.5)
  }
}
