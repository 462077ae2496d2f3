internal import AnechoicAPI
internal import AudioCore
internal import Authentication
internal import struct Foundation.Data
internal import GRPCTransport
internal import SessionWire
internal import SwiftProtobuf
internal import VoiceSessions

/// A `JoinSession` call, which sends the playback of a session that runs on another thread.
final class JoinCall: ServerCallHandler {
  private enum State {
    case awaitingRequest
    case joining
    case playing(SessionHandle, PlaybackRing)
    case over
  }

  private let call: ServerCall
  private let configuration: ServerConfiguration
  private let directory: SessionDirectory
  private var state = State.awaitingRequest
  private var nextLook: Timer?
  private var backlog = OutputBacklog()
  private lazy var output = OutgoingMessages(call, limit: configuration.unreadLimit) {
    [weak self] in self?.overflowed()
  }

  init(_ call: ServerCall, _ configuration: ServerConfiguration, _ directory: SessionDirectory) {
    self.call = call
    self.configuration = configuration
    self.directory = directory
    call.read()
  }

  func received(_ message: UnsafeRawBufferPointer) {
    guard case .awaitingRequest = state else {
      return end(Status(InvalidFieldError("request", "must come only once")))
    }
    do throws(Status) {
      try join(message)
      call.read()
    } catch {
      configuration.log.refused(RPC.joinSession, error, by: ServerLog.Cause(call))
      end(error)
    }
  }

  func halfClosed() {
    if case .awaitingRequest = state { end(Status(InvalidFieldError("token", "is required"))) }
  }

  func writeCompleted() {
    output.writeCompleted()
    if let limit = backlog.limit(afterTaking: waitingFrames, now: call.thread.now) {
      drop(downTo: limit)
    }
  }

  func cancelled() { leave() }

  func ended() { leave() }

  /// Asks the session's thread to pass its playback to this call.
  private func join(_ message: UnsafeRawBufferPointer) throws(Status) {
    guard let request = try? Anechoic_V1_JoinSessionRequest(serializedBytes: Data(message)) else {
      throw .notA("JoinSessionRequest")
    }
    guard !request.token.isEmpty else { throw Status(InvalidFieldError("token", "is required")) }
    let client = try Principal(call)
    let handle = try directory.session(joinedWith: SecretToken(request.token), by: client)
    guard let format = handle.setup.playback else { throw .joinTokenUnknown }
    try handle.spendJoin()
    let ring = PlaybackRing(playback: format, framesPerChunk: handle.setup.framesPerChunk)
    call.writeDeadline = configuration.unreadDeadline(isRealTime: handle.setup.isRealTime)
    state = .joining
    let (reference, thread) = (ThreadBound(self), call.thread)
    let name = client.name
    handle.perform { session in
      session?.join(PlaybackClient(name: name, playback: ring))
      // Nil if the session has ended.
      let delay = session?.session.delays.playback
      // The call may have ended meanwhile.
      thread.perform {
        guard let call = reference.value else { return Self.leave(handle, ring) }
        call.play(handle, ring, format, delay)
      }
    }
  }

  private func play(
    _ handle: SessionHandle, _ ring: PlaybackRing, _ format: AudioFormat, _ delay: Duration?
  ) {
    guard case .joining = state else { return Self.leave(handle, ring) }
    guard let delay else { return end(.joinTokenUnknown) }
    state = .playing(handle, ring)
    send(
      .with {
        $0.joined = .with {
          $0.session = handle.name
          $0.playback = Anechoic_V1_AudioFormat(output: format)
          $0.chunkDuration = Google_Protobuf_Duration(
            .milliseconds(handle.setup.framesPerChunk * 10))
          $0.playbackDelay = Google_Protobuf_Duration(delay)
        }
      })
    look()
  }

  /// Sends the playback that has come. Runs per chunk: no allocation besides that of the timer, no lock,
  /// log or await.
  private func look() {
    guard case .playing(_, let ring) = state else { return }
    // Before the ring is emptied, because nothing is written afterwards.
    let end = ring.end
    while ring.readNext({ bytes in
      output.send(size: bytes.count, isDroppable: true) { $0.copyMemory(from: bytes) }
    }) {}
    if let limit = backlog.limit(afterAdding: waitingFrames, now: call.thread.now) {
      drop(downTo: limit)
    }
    switch end {
    case .sessionEnded: self.end(.ok)
    case .takenOver: self.end(.joinTakenOver)
    case nil: nextLook = call.schedule(after: PlaybackRing.interval) { [weak self] in self?.look() }
    }
  }

  /// The number of frames that wait for the client.
  private var waitingFrames: Int {
    guard case .playing(let handle, _) = state else { return 0 }
    return output.waitingDroppable * handle.setup.framesPerChunk
  }

  private func drop(downTo limit: Int) {
    while waitingFrames > limit { output.dropOldest() }
  }

  private func send(_ response: Anechoic_V1_JoinSessionResponse) {
    guard let bytes: [UInt8] = try? response.serializedBytes() else { return }
    output.send(size: bytes.count) { $0.copyBytes(from: bytes) }
  }

  private func overflowed() {
    leave()
    call.abort(.slowConsumer(configuration.unreadLimit))
  }

  /// Sends the rest and then the status.
  private func end(_ status: Status) {
    leaveSession()
    output.finish(status)
  }

  /// Ends everything, because the client is gone.
  private func leave() {
    leaveSession()
    output.stop()
  }

  private func leaveSession() {
    nextLook?.cancel()
    nextLook = nil
    if case .playing(let handle, let ring) = state { Self.leave(handle, ring) }
    state = .over
  }

  private static func leave(_ handle: SessionHandle, _ ring: PlaybackRing) {
    // A session that is ending hears nothing any more, and must not wait for this call.
    ring.abandon()
    handle.tell { $0.leave(ring) }
  }
}
