import AudioCore
import TestAudio
import Testing

@testable import VoiceSessions

struct OffsetTrackerTests {
  private static let rate = SampleRate.hz16000

  /// Returns the level of the last of `seconds` of noise with an offset on each channel.
  private func level(offsets: [Float], amplitude: Float = 0.001, seconds: Int = 3) -> Float {
    var tracker = OffsetTracker()
    let frame = Frame(rate: Self.rate, channelCount: offsets.count)
    let size = frame.sampleCount
    let noise = Signals.noise(seconds * Self.rate.hertz, amplitude: amplitude)
    var sum: Float = 0
    for index in 0..<(seconds * 100) {
      for (channel, offset) in offsets.enumerated() {
        let plane = frame.plane(channel)
        for place in 0..<size { plane[place] = noise[index * size + place] + offset }
      }
      let square = tracker.meanSquare(of: frame)
      if index >= (seconds - 1) * 100 { sum += square }
    }
    return Decibels.level(meanSquare: sum / 100)
  }

  @Test(arguments: [[Float(0.07)], [-0.07], [0.07, -0.2], [0, 0.3]])
  func anOffsetIsNotMeasured(offsets: [Float]) {
    let plain = level(offsets: offsets.map { _ in 0 })
    #expect(abs(level(offsets: offsets) - plain) < 0.3, "\(level(offsets: offsets)), \(plain)")
  }

  @Test func digitalSilenceAloneHasNoPower() {
    var tracker = OffsetTracker()
    let frame = Frame(rate: Self.rate, channelCount: 1)
    #expect(tracker.meanSquare(of: frame) == 0)
    let plane = frame.plane(0)
    for index in plane.indices { plane[index] = 0.1 }
    let square = tracker.meanSquare(of: frame)
    #expect(square > 0 && Decibels.level(meanSquare: square) < -80)
    frame.clear()
    #expect(tracker.meanSquare(of: frame) == 0)
  }

  @Test func lowSoundsAreMeasured() {
    var tracker = OffsetTracker()
    let frame = Frame(rate: Self.rate, channelCount: 1)
    var sum: Float = 0
    for index in 0..<200 {
      // A square wave of 50 Hz: each frame has a mean of its own.
      let plane = frame.plane(0)
      for place in plane.indices { plane[place] = index % 2 == 0 ? 0.1 : -0.1 }
      let square = tracker.meanSquare(of: frame)
      if index >= 100 { sum += square }
    }
    let level = Decibels.level(meanSquare: sum / 100)
    #expect(abs(level - -20) < 0.5, "\(level)")
  }

  @Test func aQuietRoomWithAnOffsetIsNotNoisy() throws {
    let room = Signals.noise(8 * Self.rate.hertz, amplitude: 0.001)
    for offset in [0, 0.07, -0.3] as [Float] {
      let run = try SessionRun(SessionSetup(microphone: .f32(Self.rate)))
      try run.send(microphone: encode([room.map { $0 + offset }], .f32), in: 160)
      run.finish()
      #expect(
        !run.sink.kinds.contains(.captureWarning(.noisy, isActive: true)), "offset \(offset)")
      let floor = run.session.statistics.levels.noiseFloor
      #expect(floor < -60, "\(floor)")
    }
  }
}
