public import AudioDevices
internal import Foundation
internal import Synchronization

/// A sound device that keeps time by a clock of its own and fails when it is told to. For any
/// thread.
public final class ScriptedDevice: Sendable {
  /// What a microphone hears at a time in seconds of the monotonic clock.
  public typealias Signal = @Sendable (_ time: Double) -> Float

  public let name: String
  public let direction: DeviceDirection
  let signal: Signal
  let clockRate: Double  // of the device's seconds in a second
  private let state = Mutex(State())

  struct State {
    var isPlugged = true
    var refusal: DeviceError.Reason?
    var isOpen = false
    var openCount = 0
    var periodCount: Int?
    var periodFrames = 1
    /// Grows with each order to fail: an open device obeys those that are new to it.
    var xruns = 0
    var losses = 0
    var asleepUntil = 0.0
    var isStalled = false
    var wakesForNothing = false
    var waitCount = 0
    var takes: [Take] = []
  }

  /// What was played without a break. Of the first channel.
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

  /// An overrun or underrun, once.
  public func overrun() { state.withLock { $0.xruns += 1 } }

  /// Falls asleep with the system (ESTRPIPE), and wakes after a time.
  public func suspend(for time: Duration) {
    state.withLock { $0.asleepUntil = Self.now + time / .seconds(1) }
  }

  /// Goes away under whoever has it open (ENODEV), and can be opened anew.
  public func lose() { state.withLock { $0.losses += 1 } }

  /// Is gone until it is plugged in again.
  public func unplug() {
    state.withLock {
      $0.isPlugged = false
      $0.losses += 1
    }
  }

  public func plug() { state.withLock { $0.isPlugged = true } }

  /// Cannot be opened, for this reason; nil is that it can.
  public func refuse(_ reason: DeviceError.Reason?) { state.withLock { $0.refusal = reason } }

  /// Gives and takes no samples, without an error.
  public func stall(_ isStalled: Bool) { state.withLock { $0.isStalled = isStalled } }

  /// Wakes who waits for it at once, as some plug-ins of ALSA do, whether there is anything or not.
  public func wakeForNothing() { state.withLock { $0.wakesForNothing = true } }

  /// Has so many periods from now on, whatever is wished.
  public func havePeriods(_ count: Int?) { state.withLock { $0.periodCount = count } }

  /// Has periods of so many times 10 ms from now on, and moves whole ones only.
  public func havePeriods(ofFrames count: Int) { state.withLock { $0.periodFrames = count } }

  // MARK: What is seen of it

  public var isPlugged: Bool { state.withLock { $0.isPlugged } }
  public var isOpen: Bool { state.withLock { $0.isOpen } }
  public var openCount: Int { state.withLock { $0.openCount } }

  /// How many times somebody waited for it.
  public var waitCount: Int { state.withLock { $0.waitCount } }

  /// All that was played so far, of the first channel.
  public var played: [Float] { state.withLock { $0.takes.flatMap(\.samples) } }

  /// Lets go of what was played, for tests that run long.
  public func forget() { state.withLock { $0.takes.removeAll() } }

  /// The same, but for the last second, which may still be heard.
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

  /// What is heard of it at a time: for the signal of a microphone beside a loudspeaker.
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

  // MARK: For what is opened

  static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  func withState<Result>(_ body: (inout sending State) -> sending Result) -> sending Result {
    state.withLock(body)
  }

  func open(_ wish: DeviceWish) throws(DeviceError) -> any PCMDevice {
    let (refusal, periodCount, periodFrames) = state.withLock { state in
      let refusal: DeviceError.Reason? =
        state.isPlugged ? (state.refusal ?? (state.isOpen ? .busy : nil)) : .absent
      if refusal == nil {
        state.isOpen = true
        state.openCount += 1
      }
      return (refusal, state.periodCount, state.periodFrames)
    }
    if let refusal {
      throw DeviceError(refusal, "\(direction.rawValue) device \"\(name)\": it is \(refusal)")
    }
    return ScriptedPCM(
      self, wish, periodCount: periodCount ?? wish.periodCount, periodFrames: periodFrames)
  }
}
