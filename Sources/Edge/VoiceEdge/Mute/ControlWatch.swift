internal import EdgeAudio

/// A watch of the capture switch in the mixer of the port in use, on a thread of its own.
final class ControlWatch: ThreadOwner {
  private let selection = DeviceSelection()
  let thread = LoopThread()

  init(
    _ system: any AudioSystem, switched: @escaping @Sendable (_ isMuted: Bool) -> Void
  ) {
    selection.onChange { [thread] in thread.wake() }
    thread.start("mixer") { [self] thread in
      var isMuted = false
      while !thread.isStopped {
        let generation = selection.generation
        let isWanted = { [selection] in selection.generation == generation }
        var now = false
        if let name = selection.current {
          let control = try? system.openControl(name)
          do throws(DeviceFault) {
            while let control, !thread.isStopped, isWanted() {
              now = try control.captureIsOn() == false
              if now != isMuted { switched(now) }
              isMuted = now
              try control.wait(.milliseconds(250))
            }
          } catch {
            // The loop opens the mixer again.
          }
        }
        // A device that is gone does not mute.
        if isMuted, isWanted() == false || selection.current == nil {
          isMuted = false
          switched(false)
        }
        thread.sleep(.milliseconds(250), while: isWanted)
      }
    }
  }

  /// Selects the mixer to watch. Nil selects none.
  func watch(_ control: String?) { selection.select(control) }
}
