internal import EdgeAudio
internal import Synchronization

/// A watch of the capture switch in the mixer of the port in use, on a thread of its own.
final class ControlWatch: Sendable {
  private let loop: ControlLoop

  init(
    _ system: any AudioSystem, switched: @escaping @Sendable (_ isMuted: Bool) -> Void
  ) {
    loop = ControlLoop(system, nil, CaptureSwitch(switched: switched))
    loop.start("mixer")
  }

  /// Selects the mixer to watch. Nil selects none.
  func watch(_ control: String?) { loop.select(control) }

  func stop() { loop.stop() }

  func join() { loop.join() }
}

/// The state of a capture switch.
private final class CaptureSwitch: ControlReader {
  private let isMuted = Atomic(false)
  private let switched: @Sendable (_ isMuted: Bool) -> Void

  init(switched: @escaping @Sendable (_ isMuted: Bool) -> Void) { self.switched = switched }

  func read(_ control: any DeviceControl) throws(DeviceIOError) {
    change(try control.captureIsOn() == false)
  }

  func closed(isSelected: Bool) {
    // A device that is gone does not mute.
    if !isSelected { change(false) }
  }

  private func change(_ now: Bool) {
    if isMuted.exchange(now, ordering: .relaxed) != now { switched(now) }
  }
}
