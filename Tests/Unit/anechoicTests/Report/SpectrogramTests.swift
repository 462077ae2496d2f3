import AudioCore
import Foundation
import Testing

@testable import anechoic

struct SpectrogramTests {
  /// Returns the levels of a tone of one second at an amplitude of 0.5.
  private func tone(
    _ hertz: Double, rate: SampleRate, top: Int, channels: Int = 1, frames: Int = 100
  ) -> LevelGrid {
    var spectrogram = Spectrogram(
      frameCount: frames, rate: rate, channelCount: channels, topHertz: top)
    let frame = Frame(rate: rate, channelCount: channels)
    for index in 0..<frames {
      for channel in 0..<channels {
        for sample in 0..<rate.samplesPerFrame {
          let time = Double(index * rate.samplesPerFrame + sample) / Double(rate.hertz)
          frame.plane(channel)[sample] = Float(0.5 * sin(2 * Double.pi * hertz * time))
        }
      }
      spectrogram.append(frame)
    }
    return spectrogram.levels
  }

  @Test(arguments: SampleRate.allCases)
  func aToneIsInItsRow(rate: SampleRate) {
    let top = rate.hertz / 2
    for share in [0.1, 0.5, 0.9] {
      let levels = tone(share * Double(top), rate: rate, top: top)
      for column in stride(from: 10, to: levels.columnCount, by: 17) {
        let loudest = (0..<levels.rowCount).max {
          levels.level(column: column, row: $0) < levels.level(column: column, row: $1)
        }
        let expected = share * Double(levels.rowCount)
        #expect(abs(Double(loudest ?? 0) + 0.5 - expected) <= 1.5, "\(rate) \(share)")
      }
    }
  }

  @Test func theLevelOfAToneIsItsAmplitude() {
    // 1 kHz is in the middle of a bin of 31.25 Hz, and each row is one bin.
    let levels = tone(1000, rate: .hz16000, top: 8000)
    #expect(abs(levels.level(column: 50, row: 32) - 20 * log10f(0.5)) < 0.1)
    #expect(abs(levels.peak - 20 * log10f(0.5)) < 0.1)
    #expect(levels.level(column: 50, row: 200) < -90)
  }

  @Test func twoChannelsHaveTheMeanOfTheirPower() {
    let levels = tone(1000, rate: .hz16000, top: 8000, channels: 2)
    #expect(abs(levels.level(column: 50, row: 32) - 20 * log10f(0.5)) < 0.1)
  }

  @Test func rowsAboveTheSoundsOwnFrequenciesAreSilent() {
    let levels = tone(1000, rate: .hz8000, top: 8000)
    for row in 0..<levels.rowCount where row > levels.rowCount * 9 / 16 {
      #expect(levels.level(column: 50, row: row) <= -150)
    }
  }

  @Test func aLongSoundHasABoundedNumberOfColumns() {
    let levels = tone(1000, rate: .hz8000, top: 4000, frames: 4801)
    #expect(levels.columnCount == Spectrogram.mostColumns)
    #expect(levels.rowCount == 128)
    #expect((0..<levels.columnCount).allSatisfy { levels.level(column: $0, row: 32) > -10 })
  }

  @Test func aSoundThatEndsEarlyIsSilentAfterItsEnd() {
    var spectrogram = Spectrogram(
      frameCount: 100, rate: .hz16000, channelCount: 1, topHertz: 8000)
    let frame = Frame(rate: .hz16000, channelCount: 1)
    for _ in 0..<200 { spectrogram.append(frame) }
    #expect(spectrogram.levels.peak == -160)
  }
}
