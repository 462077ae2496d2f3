internal import AnechoicAPI
internal import Foundation
internal import GRPCTransport
internal import SwiftProtobuf

/// One `RecordSession` call: waits for a session to start, and sends its recording as it comes.
struct RecordSessionCall: Sendable {
  private static let defaultWait = Duration.seconds(60)
  private static let longestWait = Duration.seconds(3600)

  let directory: SessionDirectory
  let isAllowed: Bool

  func run(_ request: Anechoic_V1_RecordSessionRequest, _ responses: ResponseWriter) async throws {
    guard isAllowed else { throw Status.recordingNotAllowed }
    let id = try SessionID.named(request.name, field: "name")
    let wait = try wait(request)
    let queue = RecordingQueue()
    try directory.await(id, recorder: queue)
    let timeout = Task {
      try await Task.sleep(for: wait)
      directory.forget(queue, of: id)
      queue.giveUp(.notStarted(id))
    }
    defer {
      timeout.cancel()
      directory.forget(queue, of: id)
      queue.close()
    }
    try await responses.send(.with { $0.waiting = .init() })
    while let bytes = try await queue.next() {
      for start in stride(from: 0, to: bytes.count, by: Self.largestPiece) {
        let piece = bytes[start..<min(start + Self.largestPiece, bytes.count)]
        try await responses.send(.with { $0.recording = Data(piece) })
      }
    }
  }

  /// A client may not take larger messages.
  private static let largestPiece = 1 << 20

  private func wait(_ request: Anechoic_V1_RecordSessionRequest) throws(Status) -> Duration {
    guard request.hasWait, request.wait != .init() else { return Self.defaultWait }
    do {
      return try request.wait.asDuration(upTo: Self.longestWait, path: "wait")
    } catch {
      throw Status(error)
    }
  }
}

extension ResponseWriter {
  fileprivate func send(_ response: Anechoic_V1_RecordSessionResponse) async throws {
    try await send(response.serializedBytes())
  }
}
