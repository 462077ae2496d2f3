import AnechoicAPI
import AudioCore
import Foundation
import Settings
import TestAudio
import Testing

@testable import VoiceEdge

/// The filters of a tuning, their file, and the sweep that measures them.
struct TuningTests {
  private static let shapes = [
    FilterShape(.peak, frequency: 1000, gain: 6, quality: 1.4),
    FilterShape(.lowShelf, frequency: 300, gain: -8),
    FilterShape(.highShelf, frequency: 4000, gain: 5),
    FilterShape(.highPass, frequency: 200),
    FilterShape(.lowPass, frequency: 6000, quality: 1),
  ]

  @Test func shapesHaveTheirGains() {
    let rate = 48000.0
    func level(_ index: Int, _ frequency: Double) -> Double {
      [Self.shapes[index]].response(at: frequency, rate: rate)
    }
    #expect(abs(level(0, 1000) - 6) < 0.01 && abs(level(0, 20)) < 0.01)
    #expect(abs(level(1, 20) + 8) < 0.1 && abs(level(1, 10_000)) < 0.1)
    #expect(abs(level(2, 20)) < 0.1 && abs(level(2, 16_000) - 5) < 0.2)
    #expect(abs(level(3, 200) + 3) < 0.1 && level(3, 20) < -35)
    #expect(abs(level(4, 6000)) < 0.1 && level(4, 20_000) < -25)
  }

  /// Returns the level in dB of a sine of 0.1 after a filter has settled.
  private func level(_ direction: Tuning.Direction, _ frequency: Double) -> Double {
    let slot = TuningSlot()
    slot.set(direction)
    var filter = TuningFilter(slot, rate: .hz48000, channelCount: 2)
    let frame = Frame(rate: .hz48000, channelCount: 2)
    var sums = [0.0, 0.0]
    for block in 0..<60 {
      for index in 0..<480 {
        let phase = 2 * Double.pi * frequency * Double(block * 480 + index) / 48000
        for channel in 0..<2 {
          frame.planePointers[channel][index] = Float((channel == 0 ? 0.1 : 0.05) * sin(phase))
        }
      }
      filter.process(frame)
      guard block >= 40 else { continue }
      for channel in 0..<2 {
        for index in 0..<480 {
          sums[channel] += pow(Double(frame.planePointers[channel][index]), 2)
        }
      }
    }
    let levels = sums.map { 10 * log10($0 / 9600) }
    #expect(abs(levels[0] - levels[1] - 20 * log10(2)) < 0.01)
    return levels[0] - 20 * log10(0.1) + 10 * log10(2)
  }

  @Test(arguments: [150, 300, 1000, 2500, 5000, 9000] as [Double])
  func theFramePathHasTheResponse(frequency: Double) {
    let direction = Tuning.Direction(level: -6, filters: Self.shapes)
    let expected = Self.shapes.response(at: frequency, rate: 48000) - 6
    #expect(abs(level(direction, frequency) - expected) < 0.05)
    #expect(abs(level(Tuning.Direction(), frequency)) < 0.001)
  }

  @Test func aNewTuningAppliesFromTheNextFrameOn() {
    let slot = TuningSlot()
    var filter = TuningFilter(slot, rate: .hz16000, channelCount: 1)
    let frame = Frame(rate: .hz16000, channelCount: 1)
    var levels: [Float] = []
    for level in [0, -20, 0] as [Double] {
      slot.set(Tuning.Direction(level: level))
      for index in 0..<160 { frame.planePointers[0][index] = 0.5 }
      filter.process(frame)
      levels.append(frame.planePointers[0][0])
    }
    #expect(abs(levels[0] - 0.5) < 1e-6 && abs(levels[1] - 0.05) < 1e-6)
    #expect(levels[2] == levels[0])
  }

  @Test func loudSoundStaysWithinFullScale() {
    let slot = TuningSlot()
    slot.set(
      Tuning.Direction(level: 20, filters: [FilterShape(.peak, frequency: 1000, gain: 24)]))
    var filter = TuningFilter(slot, rate: .hz16000, channelCount: 1)
    let frame = Frame(rate: .hz16000, channelCount: 1)
    for index in 0..<160 { frame.planePointers[0][index] = index.isMultiple(of: 2) ? 1 : -1 }
    filter.process(frame)
    let loudest = frame.plane(0).map { abs($0) }.max() ?? 0
    #expect(loudest <= 1)
  }

  @Test func aSweepShowsDelayAndResponse() throws {
    let sweep = ExponentialSweep(rate: 48000, level: -20)
    let shape = Self.shapes[0]
    let coefficients = shape.coefficients(48000)
    var (s1, s2) = (0.0, 0.0)
    let filtered = sweep.samples.map { sample -> Float in
      let x = Double(sample)
      let y = coefficients.b0 * x + s1
      s1 = coefficients.b1 * x - coefficients.a1 * y + s2
      s2 = coefficients.b2 * x - coefficients.a2 * y
      return Float(y)
    }
    let noise = Signals.noise(filtered.count + 24_000, amplitude: 0.001, seed: 3)
    let recording = noise.indices.map { index -> Float in
      let place = index - 4800
      return noise[index] + (filtered.indices.contains(place) ? 0.5 * filtered[place] : 0)
    }
    let response = try #require(sweep.response(in: recording))
    #expect(abs(response.delay - 4800) <= 2)
    let base = response.level(at: 200)
    for frequency in [300, 700, 1000, 1500, 4000, 6000] as [Double] {
      let expected =
        [shape].response(at: frequency, rate: 48000) - [shape].response(at: 200, rate: 48000)
      #expect(abs(response.level(at: frequency) - base - expected) < 0.6, "\(frequency) Hz")
    }
    #expect(sweep.response(in: noise) == nil)
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func anyModerateColourIsFlattened(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let colour = (0..<5).map { _ in
      FilterShape(
        .peak, frequency: 200 * pow(2, Double.random(in: 0...4.8, using: &generator)),
        gain: .random(in: -9...9, using: &generator),
        quality: .random(in: 0.7...3, using: &generator))
    }
    let fit = ResponseFit({ colour.response(at: $0, rate: 48000) }, rate: 48000)
    #expect(fit.direction.filters.count <= FilterShape.most)
    #expect(fit.after < 3 && fit.after <= fit.before, "\(fit.before) to \(fit.after) dB")
    let corrected = (0...50).map { step -> Double in
      let frequency = 200 * pow(30, Double(step) / 50)
      return colour.response(at: frequency, rate: 48000)
        + fit.direction.filters.response(at: frequency, rate: 48000)
    }
    #expect(ResponseFit.deviation(corrected) < 3)
    #expect(fit.direction.level <= 0)
  }

  @Test func aFileKeepsEverything() throws {
    var tuning = Tuning()
    (tuning.delay, tuning.echo) = (38, .high)
    tuning.capture = Tuning.Direction(level: -3.5, filters: Self.shapes)
    tuning.playback = Tuning.Direction(level: 2, filters: [])
    var file = TuningFile()
    file.products = ["Desk \"A\" \\ 1": tuning, "b": Tuning()]
    #expect(try TuningFile(reading: file.text, name: "tuning.yaml") == file)
  }

  @Test(arguments: [
    ("tunings: []\n", 1, "unknown key \"tunings\""),
    ("products:\n  - delay_ms: 3\n", 2, "products.1.product: is required"),
    ("products:\n  - product: a\n    delay_ms: 900\n", 3, "delay_ms: \"900\""),
    ("products:\n  - product: a\n    echo: loud\n", 3, "echo: \"loud\""),
    ("products:\n  - product: a\n  - product: a\n", 3, "\"a\" appears twice"),
    ("products:\n  - product: a\n    capture: {level_db: 90}\n", 3, "level_db: \"90\""),
    ("products:\n  - product: a\n    capture: {level_db: nan}\n", 3, "level_db: \"nan\""),
    (
      "products:\n  - product: a\n    playback:\n      filters:\n        - {type: bell}\n", 5,
      "type: \"bell\""
    ),
    (
      "products:\n  - product: a\n    playback:\n      filters:\n        - {type: peak}\n", 5,
      "frequency_hz: is required"
    ),
    (
      "products:\n  - product: a\n    playback:\n      filters:\n"
        + "        - {type: low-pass, frequency_hz: 900, gain_db: 3}\n", 5, "does not apply"
    ),
    (
      "products:\n  - product: a\n    playback:\n      filters:\n"
        + String(repeating: "        - {type: peak, frequency_hz: 900}\n", count: 9), 5,
      "more than 8 filters"
    ),
  ])
  func aMistakeInTheFileIsNamed(text: String, line: Int, words: String) {
    do throws(SettingsError) {
      _ = try TuningFile(reading: text, name: "tuning.yaml")
      Issue.record("nothing is wrong")
    } catch {
      #expect(error.description.hasPrefix("tuning.yaml:\(line): "), "\(error)")
      #expect(error.description.contains(words), "\(error)")
    }
  }
}
