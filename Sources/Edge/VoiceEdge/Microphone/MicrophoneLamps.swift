internal import Synchronization

/// The lamps that are lit while the sound of the microphone reaches the server or a program. They are lit
/// before the device transfers samples, and dark while it is closed or only the agent listens.
final class MicrophoneLamps: Sendable {
  private struct State: Equatable {
    var isOpen = false
    var isRecording = false

    var isLit: Bool { isOpen && isRecording }
  }

  private let lamps: Lamps
  private let state = Mutex(State())

  init(_ paths: [String], log: @escaping @Sendable (String) -> Void) {
    lamps = Lamps("microphone lamp", paths, log: log)
    lamps.set(false)
  }

  /// The device was opened or closed.
  func opened(_ isOpen: Bool) { change { $0.isOpen = isOpen } }

  /// The sound of the microphone reaches somebody, or nobody any more.
  func recording(_ isRecording: Bool) { change { $0.isRecording = isRecording } }

  private func change(_ body: (inout State) -> Void) {
    // Under the lock, so that no older state follows.
    state.withLock { state in
      let before = state
      body(&state)
      if state.isLit != before.isLit { lamps.set(state.isLit) }
    }
  }

  /// Another route is used, whose device may have a lamp.
  func routeChanged() { lamps.setAgain() }

  /// Waits until the lamps show the last state.
  func finish() { lamps.finish() }
}
