internal import AnechoicAPI
internal import Foundation
internal import SpatialAudio
internal import SwiftProtobuf
internal import VoiceSessions

extension SessionAct {
  /// The act as a recording contains it.
  var recorded: Anechoic_V1_RecordedAct.OneOf_Act {
    switch self {
    case .turn: .turn(.init())
    case .control(let control, let message):
      .control(
        .with {
          $0.client = Anechoic_V1_RecordedClient(control.origin)
          $0.control = message
        })
    case .gesture(let gesture): .gesture(.init(gesture))
    case .gestureExpired(let id): .gestureExpired(id ?? "")
    case .permissionRequest(let client, let usage, let stored):
      .permissionRequest(
        .with {
          $0.client = Anechoic_V1_RecordedClient(client)
          $0.usageDescription = usage
          if let stored { $0.storedDecision = stored }
        })
    case .injection(let id, let step):
      .injection(
        .with {
          $0.injectionID = id
          $0.step = step.recorded
        })
    case .microphoneStopped(let alone): .microphoneStopped(.with { $0.alone = alone })
    case .microphoneLate(let isLate): .microphoneLate(isLate)
    case .microphoneEarly(let isEarly): .microphoneEarly(isEarly)
    case .draining(let time): .draining(Google_Protobuf_Duration(time))
    case .suspended(let time): .suspended(Google_Protobuf_Duration(time))
    case .resumed(let sample, let allowsEnrollment):
      .resumed(
        .with {
          if let sample { $0.microphoneSample = sample }
          if let allowsEnrollment { $0.enrollmentForbidden = !allowsEnrollment }
        })
    case .outputDropped(let samples): .outputDropped(samples)
    case .playbackClientChanged(let client, let hasJoined):
      .playbackClientChanged(.init(client, hasJoined: hasJoined))
    case .injectionAllowed(let isAllowed): .injectionAllowed(isAllowed)
    case .reduced(let isReduced): .reduced(isReduced)
    case .headResponses(let responses, let profile):
      .headResponses(
        .with {
          $0.listenerProfile = profile
          $0.sha256 = responses.digest
        })
    case .end(let reason, let remaining):
      .end(
        .with {
          $0.reason = Anechoic_V1_SessionEnded.Reason(reason)
          $0.flushed = remaining == .all
          if case .frames(let frames) = remaining { $0.frames = UInt32(frames) }
        })
    }
  }

  /// Reads an act of a recording. Returns nil if the act is invalid, or is not an act on the session: a
  /// request, a digest or a profile lookup. `responses` finds head-related responses.
  init?(_ recorded: Anechoic_V1_RecordedAct.OneOf_Act, responses: ReplayedResponses) {
    switch recorded {
    case .turn: self = .turn
    case .control(let other):
      let origin = ControlOrigin(other.client)
      guard let control = try? SessionControl(other.control, by: origin) else { return nil }
      self = .control(control, as: other.control)
    case .gesture(let gesture): self = .gesture(MuteGesture(gesture))
    case .gestureExpired(let id): self = .gestureExpired(id: id.isEmpty ? nil : id)
    case .permissionRequest(let request):
      self = .permissionRequest(
        by: ControlOrigin(request.client), usageDescription: request.usageDescription,
        stored: request.hasStoredDecision ? request.storedDecision : nil)
    case .injection(let injection):
      guard let step = InjectionStep(injection.step) else { return nil }
      self = .injection(id: injection.injectionID, step)
    case .microphoneStopped(let stop): self = .microphoneStopped(alone: stop.alone)
    case .microphoneLate(let isLate): self = .microphoneLate(isLate)
    case .microphoneEarly(let isEarly): self = .microphoneEarly(isEarly)
    case .draining(let time): self = .draining(endsIn: Duration(recorded: time))
    case .suspended(let time): self = .suspended(waitsFor: Duration(recorded: time))
    case .resumed(let resumption):
      self = .resumed(
        microphoneSample: resumption.hasMicrophoneSample ? resumption.microphoneSample : nil,
        allowsEnrollment: resumption.hasEnrollmentForbidden
          ? !resumption.enrollmentForbidden : nil)
    case .outputDropped(let samples): self = .outputDropped(samples: samples)
    case .playbackClientChanged(let change):
      self = .playbackClientChanged(change.client, hasJoined: change.joined)
    case .injectionAllowed(let isAllowed): self = .injectionAllowed(isAllowed)
    case .reduced(let isReduced): self = .reduced(isReduced)
    case .headResponses(let change):
      guard let set = responses.set(for: change) else { return nil }
      self = .headResponses(set, ofProfile: change.listenerProfile)
    case .end(let end):
      self = .end(
        SessionEvent.EndReason(end.reason), end.flushed ? .all : .frames(Int(end.frames)))
    case .request, .digest, .profileLookup: return nil
    }
  }
}

extension SessionAct.InjectionStep {
  fileprivate var recorded: Anechoic_V1_RecordedAct.Injection.OneOf_Step {
    switch self {
    case .begun(let client, .everywhere): .begunBy(client)
    case .begun(let client, .playbackAlone): .begunLocallyBy(client)
    case .piece(let speech):
      .piece(
        .with {
          $0.processed = Data(littleEndian: speech.processed)
          $0.playback = Data(littleEndian: speech.playback)
        })
    case .completed: .completed(true)
    case .cancelled: .cancelled(true)
    }
  }

  fileprivate init?(_ recorded: Anechoic_V1_RecordedAct.Injection.OneOf_Step?) {
    switch recorded {
    case .begunBy(let client): self = .begun(by: client, .everywhere)
    case .begunLocallyBy(let client): self = .begun(by: client, .playbackAlone)
    case .piece(let piece):
      self = .piece(
        InjectedSpeech(
          processed: [Float](littleEndian: piece.processed),
          playback: [Float](littleEndian: piece.playback)))
    case .completed: self = .completed
    case .cancelled: self = .cancelled
    case nil: return nil
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

extension Anechoic_V1_RecordedClient {
  init(_ origin: ControlOrigin) {
    self.init()
    name = origin.actor
    isMediaClient = origin.isMediaClient
  }
}

extension Anechoic_V1_RecordedAct.Gesture {
  fileprivate init(_ gesture: MuteGesture) {
    self.init()
    client = Anechoic_V1_RecordedClient(gesture.origin)
    gestureID = gesture.id
    if let mutes = gesture.mutes { muted = mutes }
  }
}

extension MuteGesture {
  fileprivate init(_ gesture: Anechoic_V1_RecordedAct.Gesture) {
    self.init(
      id: gesture.gestureID, mutes: gesture.hasMuted ? gesture.muted : nil,
      origin: ControlOrigin(gesture.client))
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
  init(littleEndian values: [Float]) {
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
