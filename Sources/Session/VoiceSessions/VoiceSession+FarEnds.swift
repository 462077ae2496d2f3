public import AudioCore
public import SpatialAudio

/// The named far ends of a session, and the head of their listener.
extension VoiceSession {
  /// Appends samples of a named far end, as `append` does for other inputs. `farEnd` is an index of
  /// `SessionSetup.farEnds`.
  public func append(
    _ samples: UnsafeRawBufferPointer, toFarEnd farEnd: Int, firstSample: Int64?, gap: GapReason,
    sink: any SessionSink
  ) throws(InputError) {
    try append(.encoded(samples), toFarEnd: farEnd, firstSample: firstSample, gap: gap, sink: sink)
  }

  /// Appends a frame to a named far end of plain samples, as `append` does for other inputs.
  /// Runs per frame: no allocation, lock, log or await.
  public func append(
    _ frame: borrowing Frame, toFarEnd farEnd: Int, sink: any SessionSink
  ) throws(InputError) {
    try append(
      InputSamples(frame), toFarEnd: farEnd, firstSample: nil, gap: .unspecified, sink: sink)
  }

  private func append(
    _ samples: InputSamples, toFarEnd farEnd: Int, firstSample: Int64?, gap: GapReason,
    sink: any SessionSink
  ) throws(InputError) {
    let missing = try playback.appendFarEnd(samples, to: farEnd, firstSample: firstSample)
    if missing > 0 { gaps.add(missing, gap, toFarEnd: farEnd) }
    if !samples.isEmpty { announceGap(ofFarEnd: farEnd, sink: sink) }
  }

  func announceGap(ofFarEnd farEnd: Int, sink: any SessionSink) {
    guard let gap = gaps.close(farEnd: farEnd) else { return }
    emit(
      .farEndDiscontinuity(
        id: setup.farEnds[farEnd].id, gap.reason, missingSamples: gap.missingSamples), to: sink)
  }

  /// Renders with other responses, at the rate of the playback. The change is
  /// cross-faded over 10 ms, 30 ms later. Does nothing for a session that cannot render.
  public func useHeadResponses(_ responses: HeadRelatedSet) {
    playback.useHeadResponses(responses)
  }

  /// Turns the listener's head. The pose takes effect in the frame whose microphone samples were
  /// captured at `deviceTime`, by the clock of the microphone's device times, and is reached at the end
  /// of this frame. Without a time, or with one that has passed, it is the next frame.
  public func turnHead(to pose: HeadPose, at deviceTime: Duration?) {
    head.add(pose, at: deviceTime)
  }

  /// The head of a listener who hears sounds where they are, or nil where they are mixed down.
  var listeningHead: HeadPose? {
    let settings = state.configuration.spatial
    guard settings.isEnabled, state.route?.isFreeOfEcho ?? false else { return nil }
    return settings.isHeadTracked ? head.pose : .ahead
  }
}
