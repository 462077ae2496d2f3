import AudioCore
@testable import EchoAlignment
import TestAudio
import Testing

struct DriftEstimatorTests {
  private static let rate = SampleRate.hz48000

  @Test(arguments: [-480, -50, 0, 13, 200, 500] as [Double])
  func aDriftIsFoundInTimesWithJitter(ppm: Double) throws {
    var estimator = DriftEstimator(microphone: Self.rate, reference: Self.rate)
    feed(&estimator, playbackPPM: -ppm, jitter: 0.0002)
    let estimate = try found(estimator.estimate)
    #expect(abs(estimate.drift - ppm) < 15)
    #expect(!value(estimator.capture.isUntrusted))
  }

  @Test func aFewWrongTimesChangeNothing() throws {
    var estimator = DriftEstimator(microphone: Self.rate, reference: Self.rate)
    feed(&estimator, playbackPPM: -100, jitter: 0.0002) { frame in
      frame % 37 == 5 ? 3 : frame % 41 == 7 ? -20 : 0
    }
    let estimate = try found(estimator.estimate)
    #expect(abs(estimate.drift - 100) < 10)
    #expect(value(estimator.capture.jumpCount) == 0)
  }

  @Test func timesThatRunBackwardsOrStandStillAreNotUsed() {
    var clock = ReportedClock(rate: Self.rate)
    var believed = [clock.record(sample: 480, at: .seconds(1))]
    believed.append(clock.record(sample: 480, at: .seconds(1)))
    believed.append(clock.record(sample: 960, at: .milliseconds(500)))
    believed.append(clock.record(sample: 100, at: .seconds(2)))
    #expect(believed == [true, false, false, false])
    #expect(value(clock.deviation) == nil)
  }

  @Test func aClockWithAnImpossibleRateIsNotUsed() {
    for factor in [0.5, 0.9, 1.01, 1.1, 2] {
      var clock = ReportedClock(rate: Self.rate)
      for second in 1..<60 {
        clock.record(
          sample: Int64(second * Self.rate.hertz), at: .seconds(Double(second) * factor))
      }
      #expect(value(clock.deviation) == nil)
    }
  }

  @Test func extremeTimesDoNoHarm() {
    var clock = ReportedClock(rate: Self.rate)
    for sample in [Int64.min, -1, 0, 1, Int64.max - 1, .max] {
      for time in [Duration.seconds(Int64.min), .zero, .seconds(Int64.max)] {
        clock.record(sample: sample, at: time)
      }
    }
    #expect(value(clock.deviation) == nil)
  }

  @Test func aJumpOfTheDeviceDoesNotCountAsDrift() throws {
    var clock = ReportedClock(rate: Self.rate)
    for second in 1..<120 {
      let jump = second > 40 ? 5.0 : 0
      clock.record(
        sample: Int64(second * Self.rate.hertz), at: .seconds(Double(second) * 0.9999 + jump))
    }
    #expect(value(clock.jumpCount) == 1)
    let deviation = try found(clock.deviation)
    #expect(abs(deviation - 100) < 5)
  }

  @Test func aReportedPlaybackRateAppliesAtOnce() throws {
    var clock = ReportedClock(rate: Self.rate)
    var time = 0.0
    for second in 0..<40 {
      let compensated = second < 30 ? 0 : 300.0
      clock.record(
        sample: Int64(second * Self.rate.hertz), at: .seconds(5 + time), rate: compensated)
      if second == 29 { #expect(abs((clock.deviation ?? 0) + 200) < 1) }
      // The clock is slower by 200 ppm, and the client plays faster by 300 ppm.
      time += 1 / ((1 - 200e-6) * (1 + compensated * 1e-6))
      if second == 30 { #expect(abs((clock.deviation ?? 0) - 100) < 1) }
    }
    #expect(abs((clock.deviation ?? 0) - 100) < 1)
    #expect(value(clock.jumpCount) == 0)
  }

  @Test func theSlopeOfTheDelayIsADrift() throws {
    var estimator = DriftEstimator(microphone: Self.rate, reference: Self.rate)
    let noise = Signals.noise(40, amplitude: 0.00003)
    for point in 0..<40 {
      let time = Double(point) / 2
      // Every seventh point is a reflection.
      let error = Double(noise[point]) + (point % 7 == 3 ? 0.003 : 0)
      estimator.recordDelay(0.2 - 150e-6 * time + error, at: time)
    }
    let drift = try found(estimator.estimate).drift
    #expect(abs(drift + 150) < 10)
    estimator.recordDelay(.nan, at: 21)
    let still = try found(estimator.estimate).drift
    #expect(abs(still + 150) < 10)
  }

  @Test func theAudioTakesPrecedenceOverDeviceTimes() throws {
    var estimator = DriftEstimator(microphone: Self.rate, reference: Self.rate)
    feed(&estimator, playbackPPM: -300, jitter: 0)
    for point in 0..<24 { estimator.recordDelay(0.2, at: Double(point) / 2) }
    #expect(value(estimator.devicesDisagree))
    #expect(abs(try found(estimator.estimate).drift) < 1)
  }

  /// Times that vary by 1 ms differ from the sound by more than 60 ppm for a moment in four hours.
  @Test func timesThatTrembleDoNotContradictTheSound() {
    let rate = SampleRate.hz8000
    var estimator = DriftEstimator(microphone: rate, reference: rate)
    let noise = Signals.noise(2 * 14_400, amplitude: 0.001, seed: 3)
    var (disagreements, largest) = (0, 0.0)
    for second in 0..<14_400 {
      let sample = Int64(second * rate.hertz)
      let time = Double(1000 + second)
      estimator.recordCapture(sample: sample, at: .seconds(time + Double(noise[2 * second])))
      estimator.recordPlayback(sample: sample, at: .seconds(time + Double(noise[2 * second + 1])))
      estimator.recordDelay(0.2, at: Double(second))
      if estimator.devicesDisagree { disagreements += 1 }
      if let captured = estimator.capture.deviation, let played = estimator.playback.deviation {
        largest = max(largest, abs(captured - played))
      }
    }
    #expect(disagreements == 0)
    #expect(largest > 60)
  }

  @Test func aStepIsTakenAlthoughItsTimeLiesBeforeTheLast() {
    var clock = ReportedClock(rate: .hz8000)
    for second in 0..<10 { clock.record(sample: Int64(second * 8000), at: .seconds(second)) }
    // A millisecond later by its index and earlier by its time: both tremble.
    clock.record(sample: 80_000, at: .milliseconds(10_001))
    clock.record(sample: 80_008, at: .milliseconds(9_990), added: -80)
    clock.record(sample: 88_000, at: .milliseconds(10_990))
    #expect(value(clock.jumpCount) == 0)
    #expect(abs((clock.offset(ofSample: 88_000) ?? 0) + 0.01) < 0.002)
  }

  @Test(arguments: [-1000.0, 1000])
  func theLargestDriftIsNoLie(ppm: Double) {
    var clock = ReportedClock(rate: .hz8000)
    let noise = Signals.noise(600, amplitude: 0.001, seed: 4)
    for second in 0..<600 {
      let time = Double(second) * (1 + ppm * 1e-6) + Double(noise[second])
      clock.record(sample: Int64(second * 8000), at: .seconds(1000 + time))
    }
    #expect(!value(clock.isUntrusted))
    #expect(abs((clock.deviation ?? 0) + ppm) < 40)
  }

  /// Feeds a minute of times, ten a second. `lie` returns an error in seconds that is added to the
  /// times of the microphone.
  private func feed(
    _ estimator: inout DriftEstimator, playbackPPM: Double, jitter: Float,
    lie: (_ index: Int) -> Double = { _ in 0 }
  ) {
    let noise = Signals.noise(1200, amplitude: jitter, seed: 9)
    for index in 0..<600 {
      let sample = Int64(index * Self.rate.hertz / 10)
      let time = 1000 + Double(index) / 10
      estimator.recordCapture(
        sample: sample, at: .seconds(time + Double(noise[2 * index]) + lie(index)))
      estimator.recordPlayback(
        sample: sample,
        at: .seconds(
          1000 + Double(index) / 10 / (1 + playbackPPM * 1e-6) + Double(noise[2 * index + 1])))
    }
  }
}
