public import EdgeAudio
internal import Synchronization

/// The health of a device, for status and logs.
public struct DeviceHealth: Sendable, Equatable {
  public enum State: Sendable, Equatable {
    /// No device is selected.
    case idle
    /// A device is selected, and closed because it is not needed.
    case closed
    /// The device cannot be opened, for this reason. The loop keeps trying.
    case absent(DeviceError)
    case running(DeviceFormat)
    /// The device is open and reports no fault, but transfers no samples.
    case stalled(DeviceFormat)
  }

  public var device: String?
  public var state = State.idle
  public var xruns = 0
  public var openCount = 0
  /// The number of 10 ms frames that were dropped because they were too late.
  public var droppedFrames = 0

  /// Whether another program uses the device.
  public var isBusy: Bool {
    if case .absent(let error) = state { error.reason == .busy } else { false }
  }

  /// Whether the device is closed because it is not needed.
  public var isClosed: Bool { state == .closed }

  public var isRunning: Bool {
    if case .running = state { true } else { false }
  }
}

/// The health of a loop's device. Written on changes only, never per frame.
final class HealthRecord: Sendable {
  private let health = Mutex(DeviceHealth())
  /// The time without a sign after which a loop counts as blocked in its device.
  private static let patience = Duration.seconds(1)

  private let log: @Sendable (String) -> Void
  private let title: String
  private let lastSign = Atomic<Int64>(0)

  init(_ title: String, log: @escaping @Sendable (String) -> Void) {
    self.title = title
    self.log = log
  }

  var value: DeviceHealth {
    var value = health.withLock { $0 }
    let silence = MonotonicClock.nanoseconds - lastSign.load(ordering: .relaxed)
    if case .running(let format) = value.state, .nanoseconds(silence) > Self.patience {
      value.state = .stalled(format)
    }
    return value
  }

  /// Records that the loop is running. Runs per frame: no allocation, lock, log or await.
  func touch() { lastSign.store(MonotonicClock.nanoseconds, ordering: .relaxed) }

  /// Sets the state. Logs changes, not retries.
  func set(_ state: DeviceHealth.State, device: String?) {
    let isNews = health.withLock { health in
      defer {
        health.state = state
        health.device = device
      }
      if state == health.state, device == health.device { return false }
      if case .running = state {
        if case .stalled = health.state, device == health.device { return true }
        health.openCount += 1
      }
      return true
    }
    guard isNews else { return }
    switch state {
    case .idle: log("\(title): no device")
    case .closed: log("\(title): \"\(device ?? "")\" is closed")
    case .absent(let error): log("\(title): \(error); trying again")
    case .running(let format): log("\(title): \"\(device ?? "")\" runs, \(format)")
    case .stalled: log("\(title): \"\(device ?? "")\" delivers no samples")
    }
  }

  func recordXrun() { health.withLock { $0.xruns += 1 } }

  func recordDropped(_ frames: Int) { health.withLock { $0.droppedFrames += frames } }
}
