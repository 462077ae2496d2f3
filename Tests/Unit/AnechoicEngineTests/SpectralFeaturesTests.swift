@testable import AnechoicEngine
import AudioCore
import TestAudio
import Testing

struct SpectralFeaturesTests {
  /// The channels of the features.
  private enum Channel {
    static let errorLevel = 0
    static let aboveFloor = 5
  }

  /// Calls `check` with the features of each frame of a microphone at 16 kHz without echo.
  private func features(
    of sound: [Float], _ check: (_ frame: Int, BandRows) -> Void
  ) {
    let hop = SampleRate.hz16000.samplesPerFrame
    let transform = ShortTimeTransform(hop: hop)
    let memory = FloatBuffer(4 * transform.row)
    let spectra = (0..<2).map {
      let start = memory.start + 2 * $0 * transform.row
      return Spectrum(real: start, imaginary: start + transform.row)
    }
    let signals = SpectralFeatures.Signals(
      error: spectra[0], echo: spectra[1], microphone: spectra[0], reference: spectra[1])
    let results = FloatBuffer(
      BandRows.count(channels: SpectralFeatures.count, bands: Bands.count))
    let rows = BandRows(
      at: results.start, channels: SpectralFeatures.count, bands: Bands.count)
    var features = SpectralFeatures(
      bins: hop + 1, bands: .shared(bins: hop + 1), kernels: .best)
    for frame in 0..<(sound.count / hop - 1) {
      sound.withUnsafeBufferPointer {
        if let start = $0.baseAddress { transform.analyze(start + frame * hop, into: spectra[0]) }
      }
      features.compute(signals, into: rows)
      check(frame, rows)
    }
  }

  private func bands(_ rows: BandRows, _ channel: Int) -> [Float] {
    Array(UnsafeBufferPointer(start: rows.row(channel), count: Bands.count))
  }

  /// Returns a voice at -10 dBFS over noise at -75 dBFS, which begins two seconds before.
  private func loudVoice() async throws -> [Float] {
    let voice = try await Voices.near.value
    let gain = Decibels.factor(-10 - level(voice))
    let quiet = Signals.silence(2 * Voices.rate.hertz)
    let noise = Signals.noise(
      quiet.count + voice.count, amplitude: Decibels.factor(-75) * Float(3).squareRoot())
    return zip(quiet + voice.map { $0 * gain }, noise).map { $0 + $1 }
  }

  @Test func aLoudVoiceInAQuietRoomIsAtMost43DecibelsAboveTheFloor() async throws {
    var most: Float = 0
    features(of: try await loudVoice()) { _, rows in
      most = max(most, bands(rows, Channel.aboveFloor).max() ?? .infinity)
    }
    // The logarithm of 43 dB, divided by 4. Without the limit it would be 65 dB or more.
    #expect(abs(most - 2.5) < 1e-6, "\(most)")
  }

  @Test func theNoiseOfARoomIsNearItsFloor() {
    let noise = Signals.noise(4 * 16_000, amplitude: Decibels.factor(-50))
    features(of: noise) { frame, rows in
      guard frame > 200 else { return }
      let mean = bands(rows, Channel.aboveFloor).reduce(0, +) / Float(Bands.count)
      #expect(mean > 0 && mean < 0.6, "frame \(frame): \(mean)")
    }
  }

  @Test func aVoiceAtFullScaleHasTheFeaturesOfAUsualOne() async throws {
    let voice = try await Voices.near.value
    func loudest(_ level: Float) -> Float {
      var loudest: Float = -.infinity
      let gain = Decibels.factor(level - TestAudio.level(voice))
      features(of: voice.map { $0 * gain }) { frame, rows in
        guard frame > 100 else { return }
        loudest = max(loudest, bands(rows, Channel.errorLevel).max() ?? .infinity)
      }
      return loudest
    }
    // 12 dB are 0.35 here.
    #expect(abs(loudest(-12) - loudest(0)) < 0.03)
    #expect(loudest(-60) < loudest(-40) - 0.4)
  }

  /// Silence, denormal numbers, and samples 12 dB above full scale, the loudest that engines let
  /// pass.
  @Test(arguments: [0, 1e-30, 1e-15, 4] as [Float])
  func featuresOfAnySoundAreFinite(amplitude: Float) async throws {
    let sound = (0..<16_000).map { $0 % 64 < 32 ? amplitude : -amplitude }
    features(of: sound + (try await Voices.near.value) + sound) { frame, rows in
      for channel in 0..<SpectralFeatures.count {
        #expect(bands(rows, channel).allSatisfy { $0.isFinite && abs($0) < 20 }, "frame \(frame)")
      }
    }
  }
}
