public import EdgeAudio
internal import Foundation
internal import Synchronization

/// A simulated sound device with a clock of its own. It fails when a test says so. May be used from
/// any thread.
public final class ScriptedDevice: Sendable {
  /// Returns the sample that a microphone hears at a time in seconds of the monotonic clock.
  public typealias Signal = @Sendable (_ time: Double) -> Float

  public let name: String
  public let direction: DeviceDirection
  let signal: Signal
  let clockRate: Double  // The device's seconds in one second.
  private let state = Mutex(State())

  struct State {
    var isPlugged = true
    var refusal: DeviceError.Reason?
    var isOpen = false
    var openCount = 0
    var periodCount: Int?
    var periodFrames = 1
    /// The number of ordered faults. An open device obeys an order that it has not seen.
    var xruns = 0
    var losses = 0
    var asleepUntil = 0.0
    var isStalled = false
    var wakesForNothing = false
    var hasClock = true
    var laterChannels = 0.0
    var waitCount = 0
    var takes: [Take] = []
  }

  /// A piece of the playback without interruption. Contains only the first channel.
  struct Take {
    var start: Double
    var rate: Double
    var samples: [Float] = []
  }

  init(
    _ name: String, _ direction: DeviceDirection, partsPerMillion: Double,
    _ signal: @escaping Signal
  ) {
    self.name = name
    self.direction = direction
    self.signal = signal
    clockRate = 1 + partsPerMillion * 1e-6
  }

  // MARK: Orders

  /// Causes one overrun or underrun.
  public func overrun() { state.withLock { $0.xruns += 1 } }

  /// Suspends the device (ESTRPIPE) for a time.
  public func suspend(for time: Duration) {
    state.withLock { $0.asleepUntil = Self.now + time / .seconds(1) }
  }

  /// Disconnects the open device (ENODEV). It can be opened again.
  public func lose() { state.withLock { $0.losses += 1 } }

  /// Removes the device until it is plugged in again.
  public func unplug() {
    state.withLock {
      $0.isPlugged = false
      $0.losses += 1
    }
  }

  public func plug() { state.withLock { $0.isPlugged = true } }

  /// Makes opening fail for this reason. Nil makes opening succeed again.
  public func refuse(_ reason: DeviceError.Reason?) { state.withLock { $0.refusal = reason } }

  /// Makes the device transfer no samples, without an error.
  public func stall(_ isStalled: Bool) { state.withLock { $0.isStalled = isStalled } }

  /// Makes waits return at once without samples, as some plug-ins of ALSA do.
  public func wakeForNothing() { state.withLock { $0.wakesForNothing = true } }

  /// Makes the device transfer samples as fast as it is asked to, as ALSA's `null` does, from the
  /// next opening on.
  public func haveNoClock() { state.withLock { $0.hasClock = false } }

  /// Gives each channel of a microphone the sound that the channel before it had `seconds` ago, as
  /// at microphones in a row. A negative time is that of sound from the other side.
  public func hear(channelsLaterBy seconds: Double) {
    state.withLock { $0.laterChannels = seconds }
  }

  /// Gives the buffer this number of periods from now on, whatever is requested.
  public func havePeriods(_ count: Int?) { state.withLock { $0.periodCount = count } }

  /// Gives the device periods of `count` times 10 ms from now on. It then transfers only whole
  /// periods.
  public func havePeriods(ofFrames count: Int) { state.withLock { $0.periodFrames = count } }

  // MARK: Observations

  public var isPlugged: Bool { state.withLock { $0.isPlugged } }
  public var isOpen: Bool { state.withLock { $0.isOpen } }
  public var openCount: Int { state.withLock { $0.openCount } }

  /// The number of times that a thread waited for the device.
  public var waitCount: Int { state.withLock { $0.waitCount } }

  /// All samples that were played so far, of the first channel.
  public var played: [Float] { state.withLock { $0.takes.flatMap(\.samples) } }

  /// The number of these samples.
  public var playedCount: Int {
    state.withLock { $0.takes.reduce(0) { $0 + $1.samples.count } }
  }

  /// Discards the played samples. For tests that take long.
  public func forget() { state.withLock { $0.takes.removeAll() } }

  /// Discards the played samples except the last second, which may still be heard.
  public func forgetOld() {
    state.withLock { state in
      guard let last = state.takes.indices.last else { return }
      state.takes.removeFirst(last)
      let surplus = state.takes[0].samples.count - Int(state.takes[0].rate)
      guard surplus > 0 else { return }
      state.takes[0].samples.removeFirst(surplus)
      state.takes[0].start += Double(surplus) / state.takes[0].rate
    }
  }

  /// Returns the sample that is heard at a time. A microphone beside the loudspeaker uses it.
  public func sound(at time: Double) -> Float {
    state.withLock { state in
      guard let take = state.takes.last(where: { $0.start <= time }) else { return 0 }
      let place = (time - take.start) * take.rate
      let index = Int(place)
      guard index + 1 < take.samples.count else { return 0 }
      let fraction = Float(place - Double(index))
      return take.samples[index] * (1 - fraction) + take.samples[index + 1] * fraction
    }
  }

  // MARK: For open devices

  static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  func withState<Result>(_ body: (inout sending State) -> sending Result) -> sending Result {
    state.withLock(body)
  }

  func open(_ wish: DeviceWish) throws(DeviceError) -> any PCMDevice {
    let (refusal, periodCount, periodFrames, hasClock) = state.withLock { state in
      let refusal: DeviceError.Reason? =
        state.isPlugged ? (state.refusal ?? (state.isOpen ? .busy : nil)) : .absent
      if refusal == nil {
        state.isOpen = true
        state.openCount += 1
      }
      return (refusal, state.periodCount, state.periodFrames, state.hasClock)
    }
    if let refusal {
      throw DeviceError(refusal, "\(direction.rawValue) device \"\(name)\": it is \(refusal)")
    }
    return ScriptedPCM(
      self, wish, periodCount: periodCount ?? wish.periodCount, periodFrames: periodFrames,
      hasClock: hasClock)
  }
}
