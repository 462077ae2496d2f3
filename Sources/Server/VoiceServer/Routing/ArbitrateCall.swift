internal import AnechoicAPI
internal import Authentication
internal import GRPCTransport
internal import Operations
internal import VoiceSessions

/// An `Arbitrate` call, the connection of one machine with the arbiter. It runs on the background lane,
/// whose thread processes no audio.
final class ArbitrateCall: ServerCallHandler {
  private enum State {
    case awaitingRegistration
    case registered(RoutingPlace)
    case over
  }

  private let call: ServerCall
  private let service: RoutingService
  private var state = State.awaitingRegistration
  private var budget = TokenBucket(burst: 100, perSecond: 20)
  private var mailbox: RoutingMailbox?

  init(_ call: ServerCall, _ service: RoutingService) {
    self.call = call
    self.service = service
    call.read()
  }

  func received(_ message: UnsafeRawBufferPointer) {
    do throws(Status) {
      guard budget.take(now: .now) else { throw .tooManyRoutingChanges }
      let request: Anechoic_V1_ArbitrateRequest = try MessageEncoding.binary.decoded(Array(message))
      try accept(request)
      call.read()
    } catch {
      end(error)
    }
  }

  func halfClosed() {
    if case .awaitingRegistration = state {
      return end(Status(InvalidFieldError("register", "is required")))
    }
    end(.ok)
  }

  func writeCompleted() { writeNext() }

  func cancelled() { lose() }

  func ended() { lose() }

  private func accept(_ request: Anechoic_V1_ArbitrateRequest) throws(Status) {
    switch (request.request, state) {
    case (.register(let register), .awaitingRegistration):
      let registration = try RoutingService.checked { () throws(InvalidFieldError) in
        try MachineRegistration(register)
      }
      let waker = CallWaker(self, of: call) { $0.writeNext() }
      let mailbox = RoutingMailbox { waker.wake() }
      self.mailbox = mailbox
      state = .registered(try service.register(registration, of: Principal(call), mailbox))
    case (.register, _): throw Status(InvalidFieldError("register", "must come only once"))
    case (.activity(let message), .registered(let place)):
      let activity = try RoutingService.checked { () throws(InvalidFieldError) in
        try Activity(message)
      }
      try service.update(place, activity)
    case (.activity, _):
      throw Status(InvalidFieldError("register", "is required; the first request must contain it"))
    case (nil, _):
      throw Status(InvalidFieldError("request", "is empty; it must contain register or activity"))
    }
  }

  /// Sends the next message, unless a write is in flight.
  private func writeNext() {
    guard !call.isWriting, case .registered = state, let mailbox else { return }
    switch mailbox.next() {
    case .response(let bytes): bytes.withUnsafeBytes { try? call.write($0) }
    case .wait: break
    case .end(let status): end(status)
    }
  }

  /// Ends the call, and gives the machine's place up.
  private func end(_ status: Status) {
    if case .registered(let place) = state { service.leave(place) }
    state = .over
    call.finish(status)
  }

  private func lose() {
    if case .registered(let place) = state { service.lose(place) }
    state = .over
  }
}
