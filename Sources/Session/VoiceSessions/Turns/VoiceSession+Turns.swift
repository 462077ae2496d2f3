/// The turns of the near end.
extension VoiceSession {
  /// The number of features of a frame, for training and for tests.
  package static var turnFeatureCount: Int { TurnFeatures.count }

  /// Copies the features of turns in the last frame, and returns its scores, or nil while turns are
  /// not detected. For training and for tests.
  package func copyTurnFeatures(to features: UnsafeMutablePointer<Float>) -> TurnScores? {
    capture.copyTurnFeatures(to: features)
  }

  /// Emits the events of a change. Runs per frame, and allocates where there is an event.
  func report(_ event: TurnDecisions.Event, to sink: any SessionSink) {
    func sample(_ frame: Int64) -> Int64 { capture.sample(ofFrame: frame) }
    switch event {
    case .started(let frame, let probability, let interrupts):
      emit(.turn(.started(beganAt: sample(frame), probability: probability)), to: sink)
      guard interrupts else { return }
      emit(.turn(.interruption(beganAt: sample(frame), probability: probability)), to: sink)
    case .mayEnd(let frame, let probability):
      emit(.turn(.mayEnd(silentFrom: sample(frame), probability: probability)), to: sink)
    case .continued(let frame):
      emit(.turn(.continued(beganAt: sample(frame))), to: sink)
    case .ended(let frame, let probability):
      emit(.turn(.ended(silentFrom: sample(frame), probability: probability)), to: sink)
    case .backchannel(let frame, let probability):
      emit(.turn(.backchannel(beganAt: sample(frame), probability: probability)), to: sink)
    case .notSpeech(let frame, let probability):
      emit(.turn(.notSpeech(beganAt: sample(frame), probability: probability)), to: sink)
    }
  }

  /// Ends the present turn where the detection of turns is switched off.
  func switchTurns(from previous: TurnDecisions.Event?, sink: any SessionSink) {
    guard !state.configuration.turns.isEnabled, let previous else { return }
    report(previous, to: sink)
  }
}
