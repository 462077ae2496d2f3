internal import AudioCore
internal import EdgeAudio
internal import Glibc

/// A thread that opens the selected device, keeps it running with the recovery ladder, and opens it
/// again if necessary. Used for capture and playback.
final class DeviceLoop: ThreadOwner {
  struct Timing: Sendable {
    var firstRetry = Duration.milliseconds(100)
    /// The longest delay between attempts. It is short, so that a device that returns is used
    /// within a second.
    var lastRetry = Duration.milliseconds(800)
    /// The time without samples after which a device counts as stalled.
    var stall = Duration.milliseconds(200)
  }

  /// The user of a running device.
  protocol User: AnyObject {
    /// Called when the device has been opened or prepared again.
    func begin(_ device: any PCMDevice) throws(DeviceIOError)
    /// Transfers the available samples.
    ///
    /// - Returns: Whether anything was transferred.
    func run(_ device: any PCMDevice) throws(DeviceIOError) -> Bool
  }

  let selection: DeviceSelection
  let record: HealthRecord
  private let system: any AudioSystem
  private let direction: DeviceDirection
  private let wish: DeviceWish
  private let timing: Timing
  private let opened: @Sendable (_ isOpen: Bool) -> Void
  let thread = LoopThread()

  /// Creates a loop. `opened` is called with true when the device has been opened, before it
  /// transfers samples, and with false when it has been closed.
  init(
    _ title: String, _ system: any AudioSystem, _ direction: DeviceDirection, _ wish: DeviceWish,
    selection: DeviceSelection, timing: Timing = Timing(),
    opened: @escaping @Sendable (_ isOpen: Bool) -> Void = { _ in },
    log: @escaping @Sendable (String) -> Void
  ) {
    self.system = system
    self.direction = direction
    self.wish = wish
    self.selection = selection
    self.timing = timing
    self.opened = opened
    record = HealthRecord(title, log: log)
    selection.onChange { [thread] in thread.wake() }
  }

  /// Starts the thread. `makeUser` runs on this thread, and the user stays on it.
  func start(_ name: String, _ makeUser: @escaping @Sendable () -> any User) {
    thread.start(name) { [self] thread in
      let user = makeUser()
      var backoff = Backoff(from: timing.firstRetry, to: timing.lastRetry)
      opened(false)
      while !thread.isStopped {
        let generation = selection.generation
        let isWanted = { [selection] in selection.generation == generation }
        guard let device = selection.current else {
          let closed = selection.closed
          record.set(closed == nil ? .idle : .closed, device: closed)
          // A selection wakes the thread.
          thread.sleep(.seconds(10), while: isWanted)
          continue
        }
        do throws(DeviceError) {
          let hasWorked = try openAndUse(device, user, isWanted)
          opened(false)
          if hasWorked { backoff.reset() }
        } catch {
          record.set(.absent(error), device: device)
        }
        if isWanted() { thread.sleep(backoff.next(), while: isWanted) }
      }
      record.set(.idle, device: nil)
    }
  }

  /// Opens a device, and uses it until it is closed when this function ends. Returns whether it
  /// ever transferred samples.
  private func openAndUse(
    _ name: String, _ user: any User, _ isWanted: () -> Bool
  ) throws(DeviceError) -> Bool {
    var wish = wish
    wish.map = selection.map
    let device = try system.openFit(name, direction, wish)
    opened(true)
    return use(device, name, user, isWanted)
  }

  /// Uses a device until it fails permanently or is no longer selected. Returns whether it ever
  /// transferred samples.
  private func use(
    _ device: any PCMDevice, _ name: String, _ user: any User, _ isWanted: () -> Bool
  ) -> Bool {
    var ladder = RecoveryLadder()
    var lastSamples = MonotonicClock.now
    var isReady = false
    var hasWorked = false
    var isStalled = false
    while !thread.isStopped, isWanted() {
      do throws(DeviceIOError) {
        if !isReady {
          try device.prepare()
          try user.begin(device)
          isReady = true
        }
        let before = MonotonicClock.now
        let hasMoved = try user.run(device)
        let now = MonotonicClock.now
        // Some devices wake the poller repeatedly without samples.
        if !hasMoved, now - before < .milliseconds(1) { usleep(1000) }
        record.touch()
        if hasMoved {
          ladder.worked()
          lastSamples = now
          if !hasWorked || isStalled { record.set(.running(device.format), device: name) }
          hasWorked = true
          isStalled = false
        } else if !isStalled, now - lastSamples > timing.stall {
          isStalled = true
          record.set(.stalled(device.format), device: name)
        }
      } catch {
        switch ladder.step(after: error, now: MonotonicClock.now) {
        case .prepare:
          record.recordXrun()
          isReady = false
        case .resume:
          if (try? device.resume()) != true { thread.sleep(.milliseconds(50), while: isWanted) }
        case .reopen:
          record.set(.absent(DeviceError(.failed, "\(name): \(error.text)")), device: name)
          return hasWorked
        }
      }
    }
    return hasWorked
  }
}

extension DeviceIOError {
  var text: String {
    switch self {
    case .xrun: "too many overruns"
    case .suspended: "asleep"
    case .lost(let text): text
    }
  }
}

/// The devices of the machine and their settings.
struct EdgeDevices: Sendable {
  let system: any AudioSystem
  var periodCount = 4
  var timing = DeviceLoop.Timing()
  let log: @Sendable (String) -> Void

  /// Returns a loop for one device. The device can change later; nil for none yet. If `isOpen` is
  /// false, the device stays closed at first. `opened` is called when the device opens and closes.
  func loop(
    _ title: String, _ direction: DeviceDirection, _ rate: SampleRate, _ channelCount: Int,
    _ name: String?, isOpen: Bool = true,
    opened: @escaping @Sendable (_ isOpen: Bool) -> Void = { _ in }
  ) -> DeviceLoop {
    DeviceLoop(
      title, system, direction,
      DeviceWish(rate: rate, channelCount: channelCount, periodCount: periodCount),
      selection: DeviceSelection(name, isOpen: isOpen), timing: timing, opened: opened, log: log)
  }
}

extension AudioSystem {
  /// Opens a device, and throws if it is too slow for a call.
  func openFit(
    _ name: String, _ direction: DeviceDirection, _ wish: DeviceWish
  ) throws(DeviceError) -> any PCMDevice {
    let device = try open(name, direction, wish)
    if let problem = device.format.unfitness {
      throw DeviceError(.unfit, "\(direction.rawValue) device \"\(name)\": \(problem)")
    }
    return device
  }
}

extension DeviceFormat {
  /// The maximum period in ms. With longer periods, frames are too late for `CaptureTimeline`, and
  /// `CaptureStream` treats the device as stalled.
  private static let longestPeriod = 50

  /// The reason why the device is too slow, or nil.
  var unfitness: String? {
    let period = Double(periodSamples) * 1000 / Double(rate.hertz)
    guard period > Double(Self.longestPeriod) else { return nil }
    return "its period is \(Int(period.rounded(.up))) ms; the maximum is \(Self.longestPeriod) ms"
  }
}
