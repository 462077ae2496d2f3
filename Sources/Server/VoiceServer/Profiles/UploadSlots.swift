internal import GRPCTransport
internal import Synchronization

/// The uploads and the reading processes that run at the same time. Both are few, because each holds
/// much memory.
final class UploadSlots: Sendable {
  static let mostUploads = 8
  static let mostPerAccount = 2
  static let mostReaders = 2

  private struct State {
    var uploads: [String: Int] = [:]
    var readers = 0
  }

  private let state = Mutex(State())

  /// Runs an upload of an account. Throws RESOURCE_EXHAUSTED if too many run.
  func withUpload<Result>(
    of account: String, _ body: () async throws -> Result
  ) async throws -> Result {
    try state.withLock { state throws(Status) in
      let count = state.uploads.values.reduce(0, +)
      guard count < Self.mostUploads, state.uploads[account, default: 0] < Self.mostPerAccount
      else {
        throw .tooManyUploads
      }
      state.uploads[account, default: 0] += 1
    }
    defer {
      state.withLock { state in
        state.uploads[account, default: 1] -= 1
        if state.uploads[account] == 0 { state.uploads[account] = nil }
      }
    }
    return try await body()
  }

  /// Waits until one more process may run, and runs `body`. At most `mostUploads` callers wait.
  func withReader<Result>(_ body: () async throws -> Result) async throws -> Result {
    while !takeReader() { try await Task.sleep(for: .milliseconds(20)) }
    defer { state.withLock { $0.readers -= 1 } }
    return try await body()
  }

  private func takeReader() -> Bool {
    state.withLock { state in
      guard state.readers < Self.mostReaders else { return false }
      state.readers += 1
      return true
    }
  }
}
