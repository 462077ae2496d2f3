/// What the media client tells of its devices.
public enum DeviceReport: Sendable, Equatable {
  case route(RouteChange)
  case interruption(InterruptionReport)
}

/// Routes and interruptions.
extension VoiceSession {
  /// Takes in what has become of the devices, from the next frame on. Too many at once are refused,
  /// each by a result with the id 0, and change nothing.
  public func submit(_ report: DeviceReport, sink: any SessionSink) {
    do {
      try reportBudget.spend()
    } catch {
      return sink.emit(ControlResult(id: 0, appliedAtSample: position, refusal: error))
    }
    switch report {
    case .route(let report):
      if let change = route.take(report) { routeChanged(change, sink: sink) }
    case .interruption(let report):
      let changes = interruptions.take(report)
      for change in changes { emit(.interruption(change), to: sink) }
      if !changes.isEmpty { updateInjectionAvailability(sink: sink) }
    }
  }

  /// The echo takes another way now, or none; but not where the same route is there again. The engine
  /// keeps what it has learnt: measured, it removes the echo of another room sooner from there than from
  /// nothing.
  private func routeChanged(_ change: RouteChange, sink: any SessionSink) {
    state.route = change.current
    if route.isNewWay {
      echo.reset()
      convergence.restart()
    }
    capture.restEcho(change.current?.isFreeOfEcho ?? false, state.configuration)
    emit(.routeChanged(change), to: sink)
  }

  /// Audio of the microphone comes, and it is the application's to use.
  var isMicrophoneRunning: Bool { microphoneComes && !interruptions.stopMicrophone }
}
