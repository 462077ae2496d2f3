internal import AudioDevices
internal import Synchronization

/// Watches the mixer of the port in use, on a thread of its own: its capture switch, and whether the
/// device is there at all, which a sound server's PCM does not tell.
final class ControlWatch: Sendable {
  private let selection = DeviceSelection()
  private let presence = Mutex<[String: Bool]>([:])
  private let thread = LoopThread()

  init(
    _ system: any AudioSystem, switched: @escaping @Sendable (_ isMuted: Bool) -> Void
  ) {
    thread.start("mixer") { [self] thread in
      var isMuted = false
      while !thread.isStopped {
        let generation = selection.generation
        let isWanted = { [selection] in selection.generation == generation }
        var now = false
        if let name = selection.current {
          let control = try? system.openControl(name)
          presence.withLock { $0[name] = control != nil }
          do throws(DeviceFault) {
            while let control, !thread.isStopped, isWanted() {
              now = try control.captureIsOn() == false
              if now != isMuted { switched(now) }
              isMuted = now
              try control.wait(.milliseconds(250))
            }
          } catch {
            presence.withLock { $0[name] = false }
          }
        }
        // A device that is gone mutes nothing.
        if isMuted, isWanted() == false || selection.current == nil {
          isMuted = false
          switched(false)
        }
        thread.sleep(.milliseconds(250), while: isWanted)
      }
    }
  }

  /// Nil for none.
  func watch(_ control: String?) { selection.select(control) }

  /// Whether a mixer could be read when it was last tried; nil where it was not.
  func isPresent(_ control: String) -> Bool? { presence.withLock { $0[control] } }

  func stop() { thread.stop() }

  func join() { thread.join() }
}
