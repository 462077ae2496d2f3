internal import AudioCore

/// A session between two connections of its media client.
extension VoiceSession {
  /// Suspends the session, because the connection of its media client was lost. Its time stands
  /// still. The microphone counts as stopped until its samples arrive again.
  public func suspend(waitingFor window: Duration, sink: any SessionSink) {
    suspensions += 1
    emit(.suspended(waitsFor: window), to: sink)
    microphoneStopped(sink: sink)
  }

  /// Continues the session.
  ///
  /// - Parameter sample: The index of the microphone's sample with which the client continues. The samples that are
  ///   missing before it are concealed, `InputTimeline.longestGap` of them at most. Nil conceals
  ///   nothing.
  /// - Parameter allowsEnrollment: Whether the client may let the session learn and keep voices from now on. Nil
  ///   changes nothing.
  /// - Returns: How many samples of the microphone are concealed.
  @discardableResult
  public func resume(
    at sample: Int64?, allowsEnrollment: Bool?, sink: any SessionSink
  ) -> Int64 {
    if let allowsEnrollment { keptVoice.isAllowed = allowsEnrollment }
    let longest = setup.microphone.rate.samples(in: InputTimeline.longestGap)
    let expected = capture.expectedIndex
    let missing = min(max(expected, sample ?? expected) - expected, Int64(longest))
    emit(.resumed(concealedSamples: missing), to: sink)
    guard missing > 0 else { return 0 }
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    // The gap is not longer than a chunk may leave.
    try? append(
      .encoded(nothing), to: .microphone, firstSample: expected + missing, gap: .connectionLost,
      resumes: true, sink: sink)
    return missing
  }
}
