public import AudioDevices
internal import Synchronization

/// How a device does, for status and logs.
public struct DeviceHealth: Sendable, Equatable {
  public enum State: Sendable, Equatable {
    /// None is selected.
    case idle
    /// It cannot be opened, for this reason, and is tried again and again.
    case absent(DeviceError)
    case running(DeviceFormat)
    /// It is open and says nothing of a fault, but no samples go through it.
    case stalled(DeviceFormat)
  }

  public var device: String?
  public var state = State.idle
  public var xruns = 0
  public var openCount = 0
  /// Frames of 10 ms that were dropped because they came too late to be of use.
  public var droppedFrames = 0

  /// Somebody else has it.
  public var isBusy: Bool {
    if case .absent(let error) = state { error.reason == .busy } else { false }
  }

  public var isRunning: Bool {
    if case .running = state { true } else { false }
  }
}

/// Where a loop leaves its device's health. Written on changes only, never per frame.
final class HealthRecord: Sendable {
  private let health = Mutex(DeviceHealth())
  /// A loop that says nothing for so long is held up inside its device.
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
    let silence = MonotonicClock.now.nanoseconds - lastSign.load(ordering: .relaxed)
    if case .running(let format) = value.state, silence > Self.patience.nanoseconds {
      value.state = .stalled(format)
    }
    return value
  }

  /// The loop is at work. Runs per frame: no allocation, lock, log or await.
  func touch() { lastSign.store(MonotonicClock.now.nanoseconds, ordering: .relaxed) }

  /// Logs changes, not retries.
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
    case .absent(let error): log("\(title): \(error); trying again")
    case .running(let format): log("\(title): \"\(device ?? "")\" runs, \(format)")
    case .stalled: log("\(title): \"\(device ?? "")\" gives no samples")
    }
  }

  func noteXrun() { health.withLock { $0.xruns += 1 } }

  func noteDropped(_ frames: Int) { health.withLock { $0.droppedFrames += frames } }
}
