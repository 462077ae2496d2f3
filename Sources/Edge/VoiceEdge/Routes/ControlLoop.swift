internal import EdgeAudio
internal import Synchronization

/// The reader of a control, called on the thread of its loop.
protocol ControlReader: AnyObject, Sendable {
  /// Reads the control, because it was opened or has reported an event.
  func read(_ control: any DeviceControl) throws(DeviceIOError)

  /// Called when the control could not be opened, was lost, or is no longer selected.
  func closed(isSelected: Bool)
}

/// A thread that keeps the selected control of a device open, and reads it when it reports an
/// event. Between events, the thread sleeps.
final class ControlLoop: Sendable {
  /// The longest time without a look at the control, in case an event is lost.
  private static let longestWait = Duration.seconds(10)

  private let system: any AudioSystem
  private let selection: DeviceSelection
  private let reader: any ControlReader
  /// Ends the wait for the open control. Nil if none is open.
  private let event = Mutex<WakeSignal?>(nil)
  private let thread = LoopThread()

  /// Creates a loop. `control` is selected at first.
  init(_ system: any AudioSystem, _ control: String? = nil, _ reader: any ControlReader) {
    self.system = system
    self.reader = reader
    selection = DeviceSelection(control)
    selection.onChange { [weak self] in self?.wake() }
  }

  func start(_ name: String) {
    thread.start(name) { [self] thread in
      var backoff = Backoff(from: .milliseconds(250), to: .seconds(1))
      while !thread.isStopped {
        let generation = selection.generation
        let isWanted = { [selection] in selection.generation == generation }
        let current = selection.current
        if let current, follow(current, isWanted) { backoff.reset() }
        reader.closed(isSelected: current != nil && isWanted())
        let rest = current == nil ? Self.longestWait : backoff.next()
        thread.sleep(rest, while: isWanted)
      }
    }
  }

  /// Selects the control to read. Nil selects none.
  func select(_ control: String?) { selection.select(control) }

  func stop() {
    thread.stop()
    wake()
  }

  func join() { thread.join() }

  private func wake() {
    thread.wake()
    event.withLock { $0 }?.set()
  }

  /// Reads a control until it is lost or no longer selected. Returns whether it could be read.
  private func follow(_ name: String, _ isWanted: () -> Bool) -> Bool {
    guard let control = try? system.openControl(name), let event = try? WakeSignal() else {
      return false
    }
    self.event.withLock { $0 = event }
    defer { self.event.withLock { $0 = nil } }
    var hasRead = false
    do throws(DeviceIOError) {
      while !thread.isStopped, isWanted() {
        try reader.read(control)
        hasRead = true
        try control.wait(Self.longestWait, event)
      }
    } catch {
      // The loop opens the control again.
    }
    return hasRead
  }
}
