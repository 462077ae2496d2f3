/// A call of one request whose answers an asynchronous function makes.
///
/// Unchecked because its fields belong to the call's thread, where the executor brings it back.
final class AsyncHandler: ServerCallHandler, @unchecked Sendable {
  typealias Body =
    @Sendable (_ request: [UInt8], _ context: CallContext, _ responses: ResponseWriter)
    async throws -> Void

  private let call: ServerCall
  private let body: Body
  private var request: [UInt8]?
  private var task: Task<Void, Never>?
  private var responses: ResponseWriter?
  private var isOver = false

  init(_ call: ServerCall, _ body: @escaping Body) {
    self.call = call
    self.body = body
    call.read()
  }

  func received(_ message: UnsafeRawBufferPointer) {
    guard request == nil else {
      finish(Status(.invalidArgument, "\(call.method) takes one request message, got another"))
      return
    }
    request = Array(message)
    call.read()
  }

  func halfClosed() {
    guard !isOver else { return }
    guard let request else {
      finish(Status(.invalidArgument, "\(call.method) takes one request message, got none"))
      return
    }
    let context = CallContext(call)
    let executor = call.executor
    let responses = ResponseWriter { message in
      executor.perform { self.write(message) }
    }
    self.responses = responses
    let body = body
    task = Task {
      let status: Status
      do {
        try await body(request, context, responses)
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

  func writeCompleted() { responses?.completed() }

  func cancelled() {
    isOver = true
    task?.cancel()
    responses?.close()
  }

  func ended() {
    responses?.close()
    responses = nil  // it holds this handler
    task = nil
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
