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
  func report(
    _ event: TurnDecisions.Event, at position: Int64? = nil, to sink: any SessionSink
  ) {
    func sample(_ frame: Int64) -> Int64 { capture.sample(ofFrame: frame) }
    func emit(_ turn: TurnEvent) { self.emit(.turn(turn), at: position, to: sink) }
    switch event {
    case .started(let frame, let probability, let interrupts):
      emit(.started(beganAt: sample(frame), probability: probability))
      guard interrupts else { return }
      emit(.interruption(beganAt: sample(frame), probability: probability))
    case .interrupts(let frame, let probability):
      emit(.interruption(beganAt: sample(frame), probability: probability))
    case .mayEnd(let frame, let probability):
      emit(.mayEnd(silentFrom: sample(frame), probability: probability))
    case .continued(let frame):
      emit(.continued(beganAt: sample(frame)))
    case .ended(let frame, let probability):
      emit(.ended(silentFrom: sample(frame), probability: probability))
    case .backchannel(let frame, let probability):
      emit(.backchannel(beganAt: sample(frame), probability: probability))
    case .notSpeech(let frame, let probability):
      emit(.notSpeech(beganAt: sample(frame), probability: probability))
    }
  }

  /// Ends the present turn, because its microphone does not come any more.
  func cutOffTurn(sink: any SessionSink) {
    if let end = capture.endCutOffTurn() { report(end, to: sink) }
  }

  /// Ends the present turn where the detection of turns is switched off.
  func switchTurns(
    from previous: TurnDecisions.Event?, at sample: Int64, sink: any SessionSink
  ) {
    guard !state.configuration.turns.isEnabled, let previous else { return }
    report(previous, at: sample, to: sink)
  }
}
