internal import CommandLineSupport
internal import Foundation
internal import VoiceClient

/// The recording of a session to a file while the session runs.
enum RecordingDownload {
  /// Runs `body` and records the session that it starts. Without a path, records nothing.
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

  /// Writes the recording until it ends or the task is cancelled. Returns the number of bytes.
  static func write(_ stream: RecordingStream, to file: sending RecordingFile) async throws -> Int {
    try await withTaskCancellationHandler {
      while let bytes = try await stream.receive() { try file.write(bytes) }
      return file.count
    } onCancel: {
      stream.cancel()
    }
  }
}

/// The file of a recording. An existing file stays unchanged until there is something to write.
final class RecordingFile {
  /// The number of bytes that were written.
  private(set) var count = 0
  private let path: String
  private let handle: FileHandle
  private let isNew: Bool

  /// Opens the file. Throws if it cannot be written, or if it exists and must not be replaced.
  init(_ path: String, replacing: Bool) throws(CommandError) {
    self.path = path
    var descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    isNew = descriptor >= 0
    if !isNew, errno == EEXIST {
      guard replacing else {
        throw CommandError("\(path): the file exists; use --force to replace it")
      }
      descriptor = open(path, O_WRONLY | O_CLOEXEC)
    }
    guard descriptor >= 0 else {
      throw CommandError(systemErrorAt: path)
    }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  deinit {
    // Removes a new file into which nothing was recorded.
    if isNew, count == 0 { unlink(path) }
  }

  func write(_ bytes: [UInt8]) throws {
    do {
      // A device or a FIFO cannot be truncated and does not need to be.
      if count == 0, !isNew { try? handle.truncate(atOffset: 0) }
      try handle.write(contentsOf: Data(bytes))
    } catch {
      throw CommandError("\(path): the file cannot be written")
    }
    count += bytes.count
  }
}
