internal import GRPCTransport
internal import Synchronization

/// The bytes of a recording on their way from a session to who records it.
final class RecordingQueue: Sendable {
  /// In bytes: who is further behind loses the recording, and the session never notices.
  private static let longestBacklog = 64 << 20

  private struct State {
    var bytes: [UInt8] = []
    /// Nil while more may come.
    var end: Result<Void, Status>?
    var hasBegun = false
    var arrival: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  /// Adds bytes. Returns whether anybody still wants them.
  func append(_ bytes: [UInt8]) -> Bool {
    change { state in
      guard state.end == nil else { return false }
      guard state.bytes.count + bytes.count <= Self.longestBacklog else {
        state.end = .failure(.recorderTooSlow)
        return false
      }
      state.hasBegun = true
      state.bytes += bytes
      return true
    }
  }

  /// The recording is whole.
  func finish() { change { $0.end = $0.end ?? .success(()) } }

  /// No session has come.
  func giveUp(_ status: Status) {
    change { if !$0.hasBegun { $0.end = $0.end ?? .failure(status) } }
  }

  /// Nobody wants it any more.
  func close() { change { $0.end = .failure(Status(.cancelled)) } }

  /// What has come since; waits for it. Nil at the end of the recording.
  func next() async throws -> [UInt8]? {
    while true {
      let (bytes, end) = state.withLock { state in
        defer { state.bytes = [] }
        return (state.bytes, state.end)
      }
      if !bytes.isEmpty { return bytes }
      if let end {
        try end.get()
        return nil
      }
      try Task.checkCancellation()
      await arrival()
    }
  }

  private func arrival() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isHere = state.withLock { state in
          if !state.bytes.isEmpty || state.end != nil { return true }
          state.arrival = continuation
          return false
        }
        if isHere { continuation.resume() }
      }
    } onCancel: {
      close()
    }
  }

  @discardableResult
  private func change<Result>(_ body: (inout State) -> Result) -> Result {
    var arrival: CheckedContinuation<Void, Never>?
    let result = state.withLock { state in
      let result = body(&state)
      guard !state.bytes.isEmpty || state.end != nil else { return result }
      arrival = state.arrival
      state.arrival = nil
      return result
    }
    arrival?.resume()
    return result
  }
}
