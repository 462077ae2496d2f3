public import AnechoicAPI
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
    case .mutedSpeech(let isActive):
      .mutedSpeechActivity(.with { $0.activity = isActive ? .started : .ended })
    case .voiceActivityChanged(let side, let isActive, let beganAt):
      .voiceActivityChanged(
        .with {
          $0.side = Anechoic_V1_Side(side)
          $0.active = isActive
          $0.beganAtSample = beganAt
        })
    case .turn(let event): OneOf_Event(event)
    case .voiceEnrollmentChanged(let state, let failure):
      .voiceEnrollmentChanged(
        .with {
          $0.state = Anechoic_V1_VoiceEnrollment(state)
          $0.failure = failure.map { .init($0) } ?? .unspecified
        })
    case .muteChanged(let state, let mutedSpeechWasActive):
      .muteChanged(
        .with {
          $0.state = Anechoic_V1_MuteState(state)
          $0.mutedSpeechWasActive = mutedSpeechWasActive
        })
    case .muteGestureRequested(let id, let proposesMute, let timeout):
      .muteGestureRequested(
        .with {
          $0.gestureID = id
          $0.proposedMuted = proposesMute
          $0.decideWithin = Google_Protobuf_Duration(timeout)
        })
    case .muteGestureResolved(let id, let result):
      .muteGestureResolved(
        .with {
          $0.gestureID = id
          $0.outcome = Anechoic_V1_MuteGestureOutcome(result.outcome)
          $0.state = Anechoic_V1_MuteState(result.state)
        })
    case .micModeChanged(let preferred, let active, let reason):
      .micModeChanged(
        .with {
          $0.preferred = Anechoic_V1_MicMode(preferred)
          $0.active = Anechoic_V1_MicMode(active)
          $0.reason = reason?.rawValue ?? ""
        })
    case .duckingChanged(let gain, let talking):
      .duckingChanged(
        .with {
          $0.gainDb = gain
          $0.talking = talking.map { Anechoic_V1_Side($0) } ?? .unspecified
        })
    case .injectionAvailabilityChanged(let isAvailable):
      .injectionAvailabilityChanged(.with { $0.available = isAvailable })
    case .injectionPermissionRequested(let client, let usageDescription):
      .injectionPermissionRequested(
        .with {
          $0.client = client
          $0.usageDescription = usageDescription
        })
    case .injectionPermissionChanged(let client, let permission):
      .injectionPermissionChanged(
        .with {
          $0.client = client
          $0.permission = Anechoic_V1_InjectionPermission(permission)
        })
    case .injection(let id, let state, _):
      .injectionProgress(
        .with {
          $0.injectionID = id
          $0.state = Anechoic_V1_InjectionProgress.State(state)
        })
    case .routeChanged(let change): .routeChanged(Anechoic_V1_RouteChanged(change))
    case .interruption(let change): .interruption(Anechoic_V1_Interruption(change))
    case .configurationChanged(let configuration, let origin):
      .configChanged(
        .with {
          $0.config = Anechoic_V1_SessionConfig(configuration.resolved)
          $0.actor = origin.actor
        })
    case .discontinuity(let input, let reason, let missingSamples):
      .discontinuity(
        .with {
          $0.input = Anechoic_V1_InputKind(input)
          $0.reason = Anechoic_V1_GapReason(reason)
          $0.missingSamples = missingSamples
        })
    case .farEndDiscontinuity(let id, let reason, let missingSamples):
      .discontinuity(
        .with {
          $0.input = .farEnd
          $0.farEndID = id
          $0.reason = Anechoic_V1_GapReason(reason)
          $0.missingSamples = missingSamples
        })
    case .echoPathChanged(let delay, let hasConverged):
      .echoPathChanged(
        .with {
          $0.delay = Google_Protobuf_Duration(delay)
          $0.converged = hasConverged
        })
    case .captureWarning(let problem, let isActive):
      .captureWarning(
        .with {
          $0.problem = Anechoic_V1_CaptureWarning.Problem(problem)
          $0.active = isActive
        })
    case .playbackClientChanged(let client, let hasJoined):
      .playbackClientChanged(Anechoic_V1_PlaybackClientChanged(client, hasJoined: hasJoined))
    case .outputDropped(let samples): .outputDropped(.with { $0.samples = samples })
    case .suspended(let window):
      .sessionSuspended(.with { $0.resumeWindow = Google_Protobuf_Duration(window) })
    case .resumed(let samples): .sessionResumed(.with { $0.concealedSamples = samples })
    case .draining(let endsIn):
      .draining(.with { $0.endsIn = Google_Protobuf_Duration(endsIn) })
    case .ended(let reason):
      .sessionEnded(.with { $0.reason = Anechoic_V1_SessionEnded.Reason(reason) })
    }
  }
}

extension Anechoic_V1_Side {
  fileprivate init(_ side: Side) {
    switch side {
    case .nearEnd: self = .nearEnd
    case .farEnd: self = .farEnd
    }
  }
}

extension Anechoic_V1_VoiceEnrollment {
  public init(_ state: VoiceEnrollment) {
    switch state {
    case .none: self = .none
    case .enrolling: self = .enrolling
    case .enrolled: self = .enrolled
    }
  }
}

extension Anechoic_V1_VoiceEnrollmentChanged.Failure {
  fileprivate init(_ failure: EnrollmentFailure) {
    switch failure {
    case .severalVoices: self = .severalVoices
    case .tooLittleVoice: self = .tooLittleVoice
    }
  }
}

extension Anechoic_V1_CaptureWarning.Problem {
  public init(_ problem: CaptureProblem) {
    switch problem {
    case .noSignal: self = .noSignal
    case .noisy: self = .noisy
    case .clipping: self = .clipping
    case .noReference: self = .noReference
    case .residualEcho: self = .residualEcho
    case .unsteadyClocks: self = .unsteadyClocks
    case .late: self = .late
    case .oppositeChannels: self = .oppositeChannels
    case .referenceHasMicrophone: self = .referenceHasMicrophone
    case .referenceGaps: self = .referenceGaps
    case .early: self = .early
    case .otherVoice: self = .otherVoice
    }
  }
}

extension Anechoic_V1_InputKind {
  fileprivate init(_ input: InputKind) {
    switch input {
    case .microphone: self = .microphone
    case .reference: self = .reference
    case .farEnd: self = .farEnd
    case .otherAudio: self = .otherAudio
    }
  }
}

extension Anechoic_V1_SessionEnded.Reason {
  public init(_ reason: SessionEvent.EndReason) {
    switch reason {
    case .clientClosed: self = .clientClosed
    case .clientLost: self = .clientLost
    case .deleted: self = .deleted
    case .idle: self = .idle
    case .maxDuration: self = .maxDuration
    case .slowConsumer: self = .slowConsumer
    case .serverShutdown: self = .serverShutdown
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
    case .connectionLost: self = .connectionLost
    }
  }
}

extension GapReason {
  /// Converts a message. An unknown reason of a newer client becomes unspecified.
  public init(_ reason: Anechoic_V1_GapReason) {
    switch reason {
    case .unspecified, .UNRECOGNIZED: self = .unspecified
    case .xrun: self = .xrun
    case .dropped: self = .dropped
    case .muted: self = .muted
    case .deviceLost: self = .deviceLost
    case .connectionLost: self = .connectionLost
    }
  }
}

extension Anechoic_V1_PlaybackClientChanged {
  public init(_ client: String, hasJoined: Bool) {
    self.init()
    self.client = client
    joined = hasJoined
  }
}
