/// A report of the media client about its devices.
public enum DeviceReport: Sendable, Equatable {
  case route(RouteChange)
  case interruption(InterruptionReport)
}

/// Routes and interruptions.
extension VoiceSession {
  /// Applies a device report from the next frame on. Of too many reports at once, each further one is
  /// refused by a result with the id 0 and changes nothing.
  public func submit(_ report: DeviceReport, sink: any SessionSink) {
    do {
      try controls.admitReport()
    } catch {
      return sink.emit(ControlResult(id: 0, appliedAtSample: position, refusal: error))
    }
    switch report {
    case .route(let report):
      if let change = controls.accept(report) { routeChanged(change, sink: sink) }
    case .interruption(let report):
      let changes = controls.accept(report)
      for change in changes { emit(.interruption(change), to: sink) }
      if !changes.isEmpty { updateInjectionAvailability(sink: sink) }
    }
  }

  private func routeChanged(_ change: RouteChange, sink: any SessionSink) {
    // A route that is told before the first frame is that for which the session was started.
    capture.changeRoute(
      isNewWay: controls.route.isNewWay && capture.processedFrames > 0,
      isFreeOfEcho: change.current?.isFreeOfEcho ?? false,
      state.configuration)
    capture.use(change.current?.input?.microphonePair ?? setup.microphonePair)
    emit(.routeChanged(change), to: sink)
  }

  /// Whether samples of the microphone arrive and no interruption keeps them from the application.
  var isMicrophoneRunning: Bool { capture.isRunning && !controls.interruptions.stopMicrophone }
}
