internal import AnechoicAPI
internal import AudioCore
package import Foundation
internal import SessionWire
internal import SwiftProtobuf
internal import VoiceSessions

extension Anechoic_V1_RecordedAct {
  /// Applies this act to a session. An act that the recorded session refused is refused again.
  func perform(on requests: SessionRequests, framesPerTurn: Int, sink: any SessionSink) {
    let session = requests.session
    switch act {
    case .request(let request):
      if take(request, on: requests, sink: sink) {
        session.process(atMost: framesPerTurn, sink: sink)
      }
    case .turn: session.process(atMost: framesPerTurn, sink: sink)
    case .control(let other):
      guard let control = try? SessionControl(other.control, by: ControlOrigin(other.client)) else {
        return
      }
      session.submit(control, sink: sink)
    case .gesture(let gesture):
      _ = try? session.report(
        MuteGesture(
          id: gesture.gestureID, mutes: gesture.hasMuted ? gesture.muted : nil,
          origin: ControlOrigin(gesture.client)), sink: sink)
    case .gestureExpired(let id): session.expireGestures(id.isEmpty ? nil : id, sink: sink)
    case .permissionRequest(let request):
      _ = try? session.requestInjectionPermission(
        for: request.client.name, usageDescription: request.usageDescription,
        stored: request.hasStoredDecision ? request.storedDecision : nil, sink: sink)
    case .injection(let injection): perform(injection, on: session, sink: sink)
    case .microphoneStopped: session.microphoneStopped(sink: sink)
    case .draining(let time):
      session.announceEnd(in: Duration(recorded: time), sink: sink)
    case .end(let end):
      let reason = SessionEvent.EndReason(end.reason)
      if end.flushed {
        session.finish(reason, sink: sink)
      } else if end.frames == 0 || !session.finish(reason, atMost: Int(end.frames), sink: sink) {
        session.end(reason, sink: sink)
      }
    case .suspended(let time):
      session.suspend(waitingFor: Duration(recorded: time), sink: sink)
    case .resumed(let resumption):
      session.resume(
        at: resumption.hasMicrophoneSample ? resumption.microphoneSample : nil, sink: sink)
    case .outputDropped(let samples): session.outputWasDropped(samples: samples, sink: sink)
    case .playbackClientChanged(let change):
      session.playbackClientChanged(change.client, hasJoined: change.joined, sink: sink)
    case .injectionAllowed(let isAllowed): session.allowInjection(isAllowed, sink: sink)
    case .microphoneLate(let isLate): session.microphoneIs(.late, isLate, sink: sink)
    case .microphoneEarly(let isEarly): session.microphoneIs(.early, isEarly, sink: sink)
    case .reduced(let isReduced): session.reduceProcessing(isReduced, sink: sink)
    // `SessionReplay` handles these.
    case .digest, .profileLookup, .headResponses, nil: break
    }
  }

  /// Passes a request to the session, with silence in place of withheld samples.
  ///
  /// - Returns: Whether the request contains audio, which is then to be processed.
  private func take(
    _ request: Anechoic_V1_ProcessRequest, on requests: SessionRequests, sink: any SessionSink
  ) -> Bool {
    var request = request
    if withheldSamples > 0, case .audio = request.request {
      let format = requests.setup.microphone
      let longest = format.rate.hertz  // The samples of one second, the longest chunk.
      request.audio.microphone.samples = format.silence(
        samples: min(Int(withheldSamples), longest))
    }
    guard let bytes: [UInt8] = try? request.serializedBytes() else { return false }
    return bytes.withUnsafeBytes { (try? requests.take($0, sink: sink)) ?? false }
  }

  private func perform(
    _ injection: Injection, on session: VoiceSession, sink: any SessionSink
  ) {
    let id = injection.injectionID
    switch injection.step {
    case .begunBy(let client): try? session.beginInjection(id, by: client)
    case .piece(let piece):
      _ = session.inject(
        InjectedSpeech(
          processed: [Float](littleEndian: piece.processed),
          playback: [Float](littleEndian: piece.playback)), into: id)
    case .completed: session.completeInjection(id)
    case .cancelled: session.cancelInjection(id, sink: sink)
    case nil: break
    }
  }
}

extension Duration {
  /// Converts a duration of a recording. One that is out of range becomes 0.
  fileprivate init(recorded duration: Google_Protobuf_Duration) {
    self = (try? Duration(duration, upTo: .seconds(1 << 32), path: "")) ?? .zero
  }
}

extension ControlOrigin {
  init(_ client: Anechoic_V1_RecordedClient) {
    self.init(actor: client.name, isMediaClient: client.isMediaClient)
  }
}

extension [Float] {
  /// Decodes samples. Values that are not finite become 0.
  fileprivate init(littleEndian data: Data) {
    self = [UInt8](data).withUnsafeBytes { bytes in
      (0..<bytes.count / 4).map { index in
        let bits = bytes.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)
        let value = Float(bitPattern: UInt32(littleEndian: bits))
        return value.isFinite ? value : 0
      }
    }
  }
}

extension Data {
  package init(littleEndian values: [Float]) {
    self.init()
    for value in values {
      Swift.withUnsafeBytes(of: value.bitPattern.littleEndian) { append(contentsOf: $0) }
    }
  }
}

extension SessionEvent.EndReason {
  init(_ reason: Anechoic_V1_SessionEnded.Reason) {
    switch reason {
    case .clientClosed: self = .clientClosed
    case .deleted: self = .deleted
    case .slowConsumer: self = .slowConsumer
    case .serverShutdown: self = .serverShutdown
    case .idle: self = .idle
    case .maxDuration: self = .maxDuration
    case .clientLost, .unspecified, .UNRECOGNIZED: self = .clientLost
    }
  }
}
