/// A handler that runs an asynchronous function, which reads the requests and sends the answers.
///
/// Sendable is unchecked because the fields belong to the call's thread, and the executor runs all
/// work of the function that uses them on that thread.
final class AsyncHandler: ServerCallHandler, @unchecked Sendable {
  typealias Body =
    @Sendable (_ requests: RequestStream, _ context: CallContext, _ responses: ResponseWriter)
    async throws -> Void

  private let call: ServerCall
  private var requests: RequestStream?
  private var responses: ResponseWriter?
  private var task: Task<Void, Never>?

  /// Creates a handler. The body runs on the threads of `BackgroundExecutor` if the method belongs
  /// to the background lane, and otherwise on Swift's own threads.
  init(_ call: ServerCall, _ lane: Lane, _ body: @escaping Body) {
    self.call = call
    let context = CallContext(call)
    let executor = call.executor
    let requests = RequestStream {
      executor.perform { self.call.read() }
    }
    let responses = ResponseWriter { message in
      // The call never refuses the write, because the writer sends one message at a time.
      executor.perform { message.withUnsafeBytes { try? self.call.write($0) } }
    }
    self.requests = requests
    self.responses = responses
    task = Task(executorPreference: lane == .background ? BackgroundExecutor.shared : nil) {
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
      executor.perform { self.call.finish(status) }
    }
  }

  func received(_ message: UnsafeRawBufferPointer) { requests?.received(Array(message)) }

  func halfClosed() { requests?.halfClosed() }

  func writeCompleted() { responses?.completed() }

  func cancelled() {
    task?.cancel()
    requests?.close()
    responses?.close()
  }

  func ended() {
    // The server itself may have ended the call, of which the function knows nothing yet.
    task?.cancel()
    requests?.close()
    responses?.close()
    // The closures of both keep references to this handler.
    requests = nil
    responses = nil
    task = nil
  }
}
