internal import EdgeAudio
internal import Foundation
internal import Synchronization

/// The mixer of a scripted device, with a capture switch that tests set.
public final class ScriptedSwitch: Sendable {
  private struct State {
    var captureIsOn: Bool?
    var isPlugged = true
    var changes = 0
  }

  private let state: Mutex<State>

  init(_ captureIsOn: Bool?) { state = Mutex(State(captureIsOn: captureIsOn)) }

  /// Sets the capture switch. Nil removes the switch.
  public func turn(on captureIsOn: Bool?) {
    state.withLock {
      $0.captureIsOn = captureIsOn
      $0.changes += 1
    }
  }

  public func unplug() { setPlugged(false) }

  public func plug() { setPlugged(true) }

  private func setPlugged(_ isPlugged: Bool) {
    state.withLock {
      $0.isPlugged = isPlugged
      $0.changes += 1
    }
  }

  var isPlugged: Bool { state.withLock { $0.isPlugged } }
  var captureIsOn: Bool? { state.withLock { $0.captureIsOn } }
  var changes: Int { state.withLock { $0.changes } }
}

/// An open mixer.
final class ScriptedControl: DeviceControl {
  private let hardware: ScriptedSwitch
  private var seen: Int

  init(_ hardware: ScriptedSwitch) {
    self.hardware = hardware
    seen = hardware.changes
  }

  func wait(_ time: Duration) throws(DeviceFault) {
    let end = ContinuousClock.now + time
    while hardware.changes == seen, ContinuousClock.now < end { usleep(2000) }
    seen = hardware.changes
    try check()
  }

  func captureIsOn() throws(DeviceFault) -> Bool? {
    try check()
    return hardware.captureIsOn
  }

  private func check() throws(DeviceFault) {
    if !hardware.isPlugged { throw .lost("No such device") }
  }
}
