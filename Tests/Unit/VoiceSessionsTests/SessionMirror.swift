import AudioCore

@testable import VoiceSessions

/// A model of a session that follows only its events, and checks them against the promises of a
/// session.
struct SessionMirror {
  /// The state of the session according to the events.
  private(set) var state: SessionState
  /// The broken promises.
  private(set) var violations: [String] = []
  /// The changes of mute in the microphone's timeline.
  private(set) var turns: [(sample: Int64, isMuted: Bool)] = []
  /// The gestures that the media client was asked about, with the number of their resolutions.
  private(set) var askedGestures: [String: Int] = [:]
  private(set) var endedInjections: Set<String> = []
  private var interruptions: Set<Interruption.Reason> = []
  private var injection: String?
  private var hasEnded = false

  init(_ state: SessionState) { self.state = state }

  mutating func accept(_ event: SessionEvent) {
    expect(event.id == state.lastEventID + 1, "a hole before event \(event.id)")
    expect(!hasEnded, "an event after the end: \(event.kind)")
    state.lastEventID = event.id
    switch event.kind {
    case .muteChanged(let mute, let wasActive):
      changeMute(mute, wasActive, at: event.microphoneSample)
    case .mutedSpeech(let isActive):
      expect(state.mute.isMuted, "muted speech while not muted")
      expect(isActive != state.isMutedSpeechActive, "muted speech \(isActive) twice")
      expect(
        !isActive || state.configuration.mute.detectsMutedTalker, "muted speech while it is off")
      state.isMutedSpeechActive = isActive
    case .voiceActivityChanged(let side, let isActive, let began):
      changeVoice(side, isActive)
      expect(began <= event.microphoneSample, "voice of the future")
    case .muteGestureRequested(let id, _, _):
      expect(askedGestures[id] == nil, "gesture \(id) asked about twice")
      askedGestures[id] = 0
    case .muteGestureResolved(let id, let result):
      if let count = askedGestures[id] { askedGestures[id] = count + 1 }
      expect(result.state == state.mute, "gesture \(id) with another state")
    case .configurationChanged(let configuration, _):
      expect(configuration != state.configuration, "a configuration that is no change")
      state.configuration = configuration
    case .micModeChanged(_, let active, _): state.activeMicMode = active
    case .injectionAvailabilityChanged(let isAvailable):
      expect(isAvailable != state.isInjectionAvailable, "availability \(isAvailable) twice")
      state.isInjectionAvailable = isAvailable
    case .injectionPermissionRequested(let client, _):
      let isNew = try? state.injectionPermissions.request(client)
      expect(isNew == true, "\(client) asked for twice")
    case .injectionPermissionChanged(let client, let permission):
      let isNew = try? state.injectionPermissions.decide(client, grant: permission == .granted)
      expect(isNew == true, "a decision that is no change")
    case .injection(let id, let progress, _): follow(id, progress)
    case .suspended:
      expect(!state.isSuspended, "suspended twice")
      state.isSuspended = true
    case .resumed:
      expect(state.isSuspended, "resumed without a suspension")
      state.isSuspended = false
    case .ended: hasEnded = true
    case .routeChanged(let change):
      expect(change.previous == state.route, "a route from elsewhere")
      state.route = change.current
    case .interruption(let change): interrupt(change)
    case .captureWarning(let problem, true):
      expect(!state.problems.contains(problem), "warning \(problem) twice")
      state.problems.insert(problem)
    case .captureWarning(let problem, false):
      expect(state.problems.contains(problem), "warning \(problem) ends without beginning")
      state.problems.remove(problem)
    case .playbackClientChanged(let client, let hasJoined):
      expect((state.playbackClient == nil) == hasJoined, "\(client) joined or left twice")
      state.playbackClient = hasJoined ? client : nil
    // The others neither change the state nor depend on an earlier event.
    default: break
    }
  }

  private mutating func changeMute(_ mute: MuteState, _ wasActive: Bool, at sample: Int64) {
    expect(mute.generation == state.mute.generation + 1, "generation \(mute.generation)")
    expect(mute.isMuted != state.mute.isMuted, "mute \(mute.isMuted) twice")
    expect(wasActive == (!mute.isMuted && state.isMutedSpeechActive), "muted speech forgotten")
    expect(sample >= turns.last?.sample ?? 0, "mute in the past of another")
    state.mute = mute
    state.isMutedSpeechActive = false
    turns.append((sample, mute.isMuted))
  }

  private mutating func interrupt(_ change: Interruption) {
    switch change {
    case .began(let reason):
      expect(interruptions.insert(reason).inserted, "interruption \(reason) begins twice")
    case .ended(let reason, _):
      expect(interruptions.remove(reason) != nil, "interruption \(reason) ends without beginning")
    }
  }

  private mutating func changeVoice(_ side: Side, _ isActive: Bool) {
    switch side {
    case .nearEnd:
      expect(isActive != state.isVoiceActive, "voice \(isActive) twice")
      state.isVoiceActive = isActive
    case .farEnd:
      expect(isActive != state.isFarEndVoiceActive, "far-end voice \(isActive) twice")
      state.isFarEndVoiceActive = isActive
    }
  }

  private mutating func follow(_ id: String, _ progress: SessionEvent.InjectionState) {
    if progress == .started {
      expect(injection == nil, "injection \(id) during another")
      injection = id
    } else {
      expect(endedInjections.insert(id).inserted, "injection \(id) ended twice")
      if injection == id { injection = nil }
    }
  }

  private mutating func expect(_ isTrue: Bool, _ violation: String) {
    if !isTrue { violations.append(violation) }
  }
}
