public import EdgeAudio
internal import Foundation
internal import Synchronization

/// The control of a scripted device, with a capture switch and jacks that tests set.
public final class ScriptedSwitch: Sendable {
  private struct State {
    var captureIsOn: Bool?
    var isPlugged = true
    var jacks: [JackName: Bool] = [:]
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

  /// Plugs something into a jack, or removes it.
  public func set(_ jack: JackName, isPlugged: Bool) {
    state.withLock {
      $0.jacks[jack] = isPlugged
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
  var jacks: [JackName: Bool] { state.withLock { $0.jacks } }
  var changes: Int { state.withLock { $0.changes } }
}

/// An open control.
final class ScriptedControl: DeviceControl {
  private let hardware: ScriptedSwitch
  private var seen: Int

  init(_ hardware: ScriptedSwitch) {
    self.hardware = hardware
    seen = hardware.changes
  }

  func wait(_ time: Duration, _ wake: WakeSignal) throws(DeviceIOError) {
    let end = ContinuousClock.now + time
    while hardware.changes == seen, ContinuousClock.now < end, !wake.take() { usleep(2000) }
    seen = hardware.changes
    try check()
  }

  func captureIsOn() throws(DeviceIOError) -> Bool? {
    try check()
    return hardware.captureIsOn
  }

  func isPlugged(_ jack: JackName) throws(DeviceIOError) -> Bool? {
    try check()
    return hardware.jacks[jack]
  }

  func jacks() throws(DeviceIOError) -> [JackName] {
    try check()
    return hardware.jacks.keys.sorted { $0.description < $1.description }
  }

  private func check() throws(DeviceIOError) {
    if !hardware.isPlugged { throw .lost("No such device") }
  }
}
