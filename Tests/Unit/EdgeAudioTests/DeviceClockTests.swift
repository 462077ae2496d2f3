import EdgeAudio
import TestAudio
import Testing

/// The clock with devices of every kind, in virtual time.
struct DeviceClockTests {
  private static let rate = 48000.0

  /// Asks a device for `samples` samples every 2 ms. The device always has them. Returns the seconds
  /// of audio that were accepted in each of the minutes.
  private func askWithoutEnd(samples: Int, earliness: Double, minutes: Int) -> [Double] {
    var clock = DeviceClock(rate: Self.rate, largestEarliness: earliness)
    return (0..<minutes).map { minute in
      let before = clock.sampleCount
      for poll in 0..<30_000 {
        let now = Double(minute) * 60 + Double(poll) * 0.002
        while clock.accept(samples, now: now) {}
      }
      return Double(clock.sampleCount - before) / Self.rate
    }
  }

  @Test(arguments: [(480, 0.06), (1920, 0.04), (15360, 0.04)])
  func aDeviceWithoutAClockKeepsToRealTime(samples: Int, earliness: Double) {
    let seconds = askWithoutEnd(samples: samples, earliness: earliness, minutes: 10)
    // The device is ahead by a fixed time, which it has gained in the first minute.
    #expect((60...60.6).contains(seconds[0]), "\(seconds)")
    let later = seconds.dropFirst()
    let error = later.reduce(0, +) / Double(later.count) / 60 - 1
    #expect(abs(error) < 0.001, "\(seconds)")
  }

  @Test(arguments: [-1000.0, -500, 0, 500, 950], [480, 2400])
  func aCrystalIsNeverHeldBack(partsPerMillion: Double, period: Int) {
    var generator = SeededGenerator(seed: 3)
    var clock = DeviceClock(rate: Self.rate, largestEarliness: 0.04)
    let rate = Self.rate * (1 + partsPerMillion * 1e-6)
    var (now, read) = (0.0, 0)
    var refused = 0
    while now < 1800 {
      // The thread is usually in time, and sometimes late by almost 80 ms.
      let lateness = Double.random(in: 0...1, using: &generator)
      now = Double(read + period) / rate + (lateness > 0.99 ? 0.079 - 0.01 : lateness * 0.002)
      let available = Int(now * rate) / period * period - read
      guard available > 0 else { continue }
      read += available
      if !clock.accept(available, now: now) { refused += 1 }
    }
    #expect(refused == 0)
  }

  @Test func aCrystalThatWasAheadOnceIsSoonTrustedAgain() {
    var clock = DeviceClock(rate: Self.rate, largestEarliness: 1)
    for _ in 0..<100 { _ = clock.accept(480, now: 0) }
    let period = 0.01 / (1 + 900e-6)
    let refused = (0..<360_000).filter { !clock.accept(480, now: Double($0) * period) }
    #expect(refused.allSatisfy { $0 < 3000 }, "\(refused.suffix(3))")
  }

  @Test func afterARestartTheDeviceIsNotAhead() {
    var clock = DeviceClock(rate: Self.rate, largestEarliness: 1)
    while clock.accept(480, now: 0) {}
    clock.restart()
    let isAccepted = clock.accept(480, now: 0.001)
    #expect(isAccepted)
  }
}
