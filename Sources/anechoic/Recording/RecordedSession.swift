internal import CommandLineSupport
internal import VoiceClient

/// A session that is recorded to a file while it runs.
enum RecordedSession {
  /// Runs `body` while the session that it starts is recorded; without a path `body` alone.
  static func record<Result: Sendable>(
    to path: String?, by client: SessionsClient, sessionID: String,
    _ body: () async throws -> Result
  ) async throws -> Result {
    guard let path else { return try await body() }
    let stream = try await client.record("sessions/\(sessionID)")
    let file: RecordingFile
    do { file = try RecordingFile(path, replacing: true) } catch {
      stream.cancel()
      throw error
    }
    async let recording = write(stream, to: file)
    do {
      let result = try await body()
      _ = try await recording
      return result
    } catch {
      stream.cancel()
      throw error
    }
  }

  /// Writes what comes, to its end or until the task is cancelled. Returns how many bytes that was.
  static func write(_ stream: RecordingStream, to file: sending RecordingFile) async throws -> Int {
    try await withTaskCancellationHandler {
      while let bytes = try await stream.receive() { try file.write(bytes) }
      return file.count
    } onCancel: {
      stream.cancel()
    }
  }
}
