/// A call whose requests an asynchronous function takes, and whose answers it makes.
///
/// Unchecked because its fields belong to the call's thread, where the executor brings it back.
final class AsyncHandler: ServerCallHandler, @unchecked Sendable {
  typealias Body =
    @Sendable (_ requests: RequestStream, _ context: CallContext, _ responses: ResponseWriter)
    async throws -> Void

  private let call: ServerCall
  private var requests: RequestStream?
  private var responses: ResponseWriter?
  private var task: Task<Void, Never>?
  private var isOver = false

  init(_ call: ServerCall, _ body: @escaping Body) {
    self.call = call
    let context = CallContext(call)
    let executor = call.executor
    let requests = RequestStream {
      executor.perform { self.read() }
    }
    let responses = ResponseWriter { message in
      executor.perform { self.write(message) }
    }
    self.requests = requests
    self.responses = responses
    task = Task {
      let status: Status
      do {
        try await body(requests, context, responses)
        status = .ok
      } catch let error as Status {
        status = error
      } catch is CancellationError {
        status = Status(.cancelled)
      } catch {
        status = Status(.internal, "\(error)")
      }
      executor.perform { self.finish(status) }
    }
  }

  func received(_ message: UnsafeRawBufferPointer) { requests?.received(Array(message)) }

  func halfClosed() {
    // A read that the end of the call cut off looks like a half-close.
    guard !isOver else { return }
    requests?.halfClosed()
  }

  func writeCompleted() { responses?.completed() }

  func cancelled() {
    isOver = true
    task?.cancel()
    requests?.close()
    responses?.close()
  }

  func ended() {
    requests?.close()
    responses?.close()
    // They hold this handler.
    requests = nil
    responses = nil
    task = nil
  }

  private func read() {
    guard !isOver else { return }
    call.read()
  }

  private func write(_ message: [UInt8]) {
    guard !isOver else { return }
    message.withUnsafeBytes { call.write($0) }
  }

  private func finish(_ status: Status) {
    guard !isOver else { return }
    isOver = true
    call.finish(status)
  }
}
