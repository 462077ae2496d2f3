public import SwiftProtobuf
public import VoiceSessions

extension Anechoic_V1_SessionEvent {
  public init(_ event: SessionEvent, time: Google_Protobuf_Timestamp) {
    self.init()
    eventID = event.id
    self.time = time
    microphoneSample = event.microphoneSample
    self.event = Self.kind(event.kind)
  }

  private static func kind(_ kind: SessionEvent.Kind) -> OneOf_Event {
    switch kind {
    case .voiceActivityChanged(let isActive, let beganAt):
      .voiceActivityChanged(
        .with {
          $0.side = .nearEnd
          $0.active = isActive
          $0.beganAtSample = beganAt
        })
    case .micModeChanged(let preferred, let active):
      .micModeChanged(
        .with {
          $0.preferred = Anechoic_V1_MicMode(preferred)
          $0.active = Anechoic_V1_MicMode(active)
        })
    case .configurationChanged(let configuration):
      .configChanged(.with { $0.config = Anechoic_V1_SessionConfig(configuration.resolved) })
    case .discontinuity(let input, let reason, let missingSamples):
      .discontinuity(
        .with {
          $0.input = Anechoic_V1_InputKind(input)
          $0.reason = Anechoic_V1_GapReason(reason)
          $0.missingSamples = missingSamples
        })
    case .ended(let reason):
      .sessionEnded(.with { $0.reason = Anechoic_V1_SessionEnded.Reason(reason) })
    }
  }
}

extension Anechoic_V1_InputKind {
  fileprivate init(_ input: InputKind) {
    switch input {
    case .microphone: self = .microphone
    case .reference: self = .reference
    }
  }
}

extension Anechoic_V1_SessionEnded.Reason {
  fileprivate init(_ reason: SessionEvent.EndReason) {
    switch reason {
    case .clientClosed: self = .clientClosed
    }
  }
}

extension Anechoic_V1_GapReason {
  fileprivate init(_ reason: GapReason) {
    switch reason {
    case .unspecified: self = .unspecified
    case .xrun: self = .xrun
    case .dropped: self = .dropped
    case .muted: self = .muted
    case .deviceLost: self = .deviceLost
    }
  }
}

extension GapReason {
  /// A reason of a newer client is unspecified here.
  public init(_ reason: Anechoic_V1_GapReason) {
    switch reason {
    case .unspecified, .UNRECOGNIZED: self = .unspecified
    case .xrun: self = .xrun
    case .dropped: self = .dropped
    case .muted: self = .muted
    case .deviceLost: self = .deviceLost
    }
  }
}
