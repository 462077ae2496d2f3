internal import AnechoicAPI
internal import AudioCore
internal import CommandLineSupport
internal import SwiftProtobuf
internal import Synchronization

/// Controls that wait to be sent: those of a file for their time, a person's decisions for the next
/// chunk of audio.
final class ControlQueue: Sendable {
  private struct State {
    var timed: ArraySlice<Anechoic_V1_Control>
    var decisions: [Anechoic_V1_Control] = []
    var lastID: UInt64
  }

  private let path: String?
  /// The ids of the file's controls, which are the numbers of its lines.
  private let lines: Set<UInt64>
  private let state: Mutex<State>

  /// Reads the file; its times are those of a microphone of this rate.
  init(file path: String?, rate: SampleRate) throws(CommandFailure) {
    let timed =
      try path.map { path throws(CommandFailure) in
        try ControlFile(path: path).controls(rate: rate)
      } ?? []
    self.path = path
    lines = Set(timed.map(\.controlID))
    state = Mutex(State(timed: timed[...], lastID: lines.max() ?? 0))
  }

  /// Where a control comes from, as a person would find it.
  func origin(of id: UInt64) -> String {
    guard let path, lines.contains(id) else { return "a decision" }
    return "\(path):\(id)"
  }

  /// Adds a control for now.
  func decide(_ control: Anechoic_V1_Control.OneOf_Control) {
    state.withLock { state in
      state.lastID += 1
      var message = Anechoic_V1_Control()
      message.controlID = state.lastID
      message.control = control
      state.decisions.append(message)
    }
  }

  /// Takes out what is to be sent before the microphone's sample `end`.
  func take(before end: Int64) -> [Anechoic_V1_Control] {
    state.withLock { state in
      let due = state.timed.prefix { $0.atSample < end }
      state.timed = state.timed.dropFirst(due.count)
      defer { state.decisions = [] }
      return due + state.decisions
    }
  }
}
