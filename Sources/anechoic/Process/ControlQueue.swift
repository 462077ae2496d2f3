internal import AnechoicAPI
internal import AudioCore
internal import CommandLineSupport
internal import SwiftProtobuf
internal import Synchronization

/// Controls and device reports that wait to be sent: those of a file for their time, a person's
/// decisions for the next chunk of audio.
final class ControlQueue: Sendable {
  private struct State {
    var timed: ArraySlice<ControlFile.Entry>
    var decisions: [Anechoic_V1_Control] = []
    var lastID: UInt64
  }

  private let path: String?
  /// The numbers of the file's lines, which are the ids of its controls.
  private let lines: Set<UInt64>
  private let state: Mutex<State>

  /// Reads the file; its times are those of a microphone of this rate.
  init(file path: String?, rate: SampleRate) throws(CommandFailure) {
    let timed =
      try path.map { path throws(CommandFailure) in
        try ControlFile(path: path).entries(rate: rate)
      } ?? []
    self.path = path
    lines = Set(timed.map { UInt64($0.line) })
    state = Mutex(State(timed: timed[...], lastID: lines.max() ?? 0))
  }

  /// Where a control comes from, as a person would find it.
  func origin(of id: UInt64) -> String {
    if id == 0 { return "a device report" }
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
  func take(before end: Int64) -> [ControlFile.Entry.Request] {
    state.withLock { state in
      let due = state.timed.prefix { $0.sample < end }
      state.timed = state.timed.dropFirst(due.count)
      defer { state.decisions = [] }
      return due.map(\.request) + state.decisions.map { .control($0) }
    }
  }
}
