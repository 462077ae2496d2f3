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
  public var reopens = 0
  /// Frames of 10 ms that were dropped because they came too late to be of use.
  public var droppedFrames = 0

  public var isRunning: Bool {
    if case .running = state { true } else { false }
  }
}

/// Where a loop leaves its device's health. Written on changes only, never per frame.
final class HealthRecord: Sendable {
  private let health = Mutex(DeviceHealth())
  private let log: @Sendable (String) -> Void
  private let title: String

  init(_ title: String, log: @escaping @Sendable (String) -> Void) {
    self.title = title
    self.log = log
  }

  var value: DeviceHealth { health.withLock { $0 } }

  /// Logs changes, not retries.
  func set(_ state: DeviceHealth.State, device: String?) {
    let isNews = health.withLock { health in
      defer {
        health.state = state
        health.device = device
      }
      if state == health.state, device == health.device { return false }
      if case .running = state, health.reopens >= 0 { health.reopens += 1 }
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
