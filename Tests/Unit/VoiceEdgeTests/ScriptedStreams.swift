import EdgeAudio
import Dispatch
import Synchronization

/// A sound server with streams that a test sets.
final class ScriptedStreams: StreamServers {
  struct State {
    var streams: [ProgramStream] = []
    var recorders: [RecordingProgram] = []
    var isAway = false
    var connections = 0
  }

  let state = Mutex(State())
  /// Nothing signals this: the agent looks again by itself.
  private let news = DispatchSemaphore(value: 0)

  func volume(_ index: UInt32) -> [UInt32]? {
    state.withLock { state in state.streams.first { $0.index == index }?.volume }
  }

  func connect() throws(StreamServerError) -> any SoundServer {
    try check()
    state.withLock { $0.connections += 1 }
    return Connection(owner: self)
  }

  private func check() throws(StreamServerError) {
    if state.withLock({ $0.isAway }) { throw StreamServerError("nobody is there") }
  }

  private final class Connection: SoundServer {
    private let owner: ScriptedStreams

    init(owner: ScriptedStreams) { self.owner = owner }

    func streams() throws(StreamServerError) -> [ProgramStream] {
      try owner.check()
      return owner.state.withLock { $0.streams }
    }

    func recorders() throws(StreamServerError) -> [RecordingProgram] {
      try owner.check()
      return owner.state.withLock { $0.recorders }
    }

    func setVolume(_ volume: [UInt32], of index: UInt32) throws(StreamServerError) {
      try owner.check()
      owner.state.withLock { state in
        guard let place = state.streams.firstIndex(where: { $0.index == index }) else { return }
        state.streams[place].volume = volume
      }
    }

    func wait(_ time: Duration) throws(StreamServerError) -> Bool {
      try owner.check()
      _ = owner.news.wait(timeout: .now() + time / .seconds(1))
      return true
    }
  }
}
