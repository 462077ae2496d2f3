/// Injected speech.
extension VoiceSession {
  /// Requests permission to inject for a client. Asks the media client unless it was asked before, or
  /// has decided in another session: `stored` is that decision.
  ///
  /// - Returns: The present permission. Where it is undetermined, the event
  ///   `injectionPermissionChanged` will carry the decision.
  public func requestInjectionPermission(
    for client: String, usageDescription: String, stored: Bool? = nil, sink: any SessionSink
  ) throws(Refusal) -> InjectionPermission {
    let isNews = try state.injectionPermissions.request(client, stored: stored)
    if isNews, stored != nil {
      injectionPermissionChanged(of: client, sink: sink)
    } else if isNews {
      emit(
        .injectionPermissionRequested(client: client, usageDescription: usageDescription),
        to: sink)
    }
    return state.injectionPermissions[client]
  }

  /// Begins an injection, which is heard once the injections before it have ended.
  public func beginInjection(
    _ id: String, by client: String, heard audience: InjectionAudience = .everywhere
  ) throws(Refusal) {
    guard state.injectionPermissions[client] == .granted else {
      throw Refusal(
        .unavailable, reason: "INJECTION_NOT_PERMITTED",
        message: "\"\(client)\" has no permission to inject: \(state.injectionPermissions[client])")
    }
    guard state.configuration.acceptsInjection else {
      throw Refusal(
        .unavailable, reason: "INJECTION_OFF",
        message: "the session's preferred_injection_mode is NONE")
    }
    guard state.isInjectionAvailable else {
      throw Refusal(
        .unavailable, reason: "INJECTION_UNAVAILABLE", message: "the microphone is not running")
    }
    guard audience == .everywhere || isPlaybackHeard else {
      throw Refusal(
        .unavailable, reason: "NO_PLAYBACK",
        message: "start.preferred_injection_mode: NONE needs a playback, and a device that plays it"
      )
    }
    try injections.add(id, client: client, heard: audience)
  }

  /// Adds speech to an injection.
  ///
  /// - Returns: The duration of the speech that waits, or nil where the injection has ended.
  public func inject(_ speech: InjectedSpeech, into id: String) -> Duration? {
    guard let injection = injections[id] else { return nil }
    injection.append(speech)
    return injection.backlog
  }

  /// The duration of an injection that waits to be heard, or nil where the injection has ended.
  public func injectionBacklog(_ id: String) -> Duration? { injections[id]?.backlog }

  /// Marks an injection as complete. It ends when all of it has been heard.
  public func completeInjection(_ id: String) { injections[id]?.isComplete = true }

  /// Cancels an injection. One that is heard already fades out with the next frame.
  public func cancelInjection(_ id: String, sink: any SessionSink) {
    injections.cancel(id) { report($0, to: sink) }
  }

  func report(
    _ progress: InjectionQueue.Progress, at sample: Int64? = nil, to sink: any SessionSink
  ) {
    let state: SessionEvent.InjectionState =
      switch progress.state {
      case .started: .started
      case .finished: .finished
      case .cancelled: .cancelled
      }
    emit(
      .injection(id: progress.injection.id, state, played: progress.injection.played),
      at: sample, to: sink)
  }

  func injectionPermissionChanged(
    of client: String, at sample: Int64? = nil, sink: any SessionSink
  ) {
    let permission = state.injectionPermissions[client]
    if permission != .granted {
      injections.cancel(of: client) { report($0, at: sample, to: sink) }
    }
    emit(.injectionPermissionChanged(client: client, permission), at: sample, to: sink)
  }

  /// Whether the server allows injection.
  public var allowsInjection: Bool { state.injectionPermissions.isServiceEnabled }

  /// Allows or forbids injection, because the server was switched. Forbidding cancels all injections;
  /// decisions about permissions are kept, and those that were made meanwhile count from now on.
  public func allowInjection(_ isAllowed: Bool, sink: any SessionSink) {
    guard state.injectionPermissions.isServiceEnabled != isAllowed else { return }
    state.injectionPermissions.isServiceEnabled = isAllowed
    if !isAllowed { injections.cancel { report($0, to: sink) } }
    updateInjectionAvailability(sink: sink)
    guard isAllowed else { return }
    for client in state.injectionPermissions.popDecidedMeanwhile() {
      injectionPermissionChanged(of: client, sink: sink)
    }
  }

  func updateInjectionAvailability(at sample: Int64? = nil, sink: any SessionSink) {
    let isAvailable =
      isMicrophoneRunning && state.injectionPermissions.isServiceEnabled
      && state.configuration.acceptsInjection
    guard isAvailable != state.isInjectionAvailable else { return }
    emit(.injectionAvailabilityChanged(isAvailable), at: sample, to: sink)
  }

  func endInjections(sink: any SessionSink) {
    injections.end { report($0, to: sink) }
    microphoneStopped(sink: sink)
  }
}
