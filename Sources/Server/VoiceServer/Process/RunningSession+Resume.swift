internal import AnechoicAPI
internal import Authentication
internal import GRPCTransport
internal import SessionWire
internal import SwiftProtobuf
internal import VoiceSessions

/// A session between two connections of its media client.
extension RunningSession {
  /// Records that the connection to the media client was lost. The session waits for the client if
  /// it can be resumed and has something to continue. Otherwise it ends.
  func lose() {
    outlet.link = nil
    guard let resumption = handle.resumption, !isEnding, session.microphoneArrived > 0,
      !directory.isDraining
    else { return close() }
    suspend(resumption)
  }

  private func suspend(_ resumption: Resumption) {
    session.apply(.suspended(waitsFor: resumption.window), sink: self)
    guard let end = endTimer(after: resumption.window) else { return close() }
    clockwork.stopSilenceCheck()
    clockwork.suspension = Suspension(session: self, began: clockwork.now, end: end)
  }

  /// Passes the session to the thread of another call. Ends the call that it had before. Call this on
  /// the session's thread, and do not touch the session afterwards.
  func move(to thread: CallThread, _ arrived: @escaping @Sendable (RunningSession) -> Void) {
    if let link = outlet.link, let resumption = handle.resumption {
      outlet.link = nil
      link.replace(.takenOver)
      suspend(resumption)
    }
    stopTimers()
    leaveLoad()
    handle.move(self, to: thread) { session in
      session.clockwork.thread = thread
      session.startTimers()
      arrived(session)
    }
  }

  /// Continues the session with another call, with the rights of its client. Throws, and keeps waiting
  /// for the client, if the point is impossible, or the client has too many sessions.
  func resume(
    at point: ResumePoint, by client: Principal, link: ClientLink
  ) throws(Status) {
    do throws(InvalidFieldError) { try check(point) } catch { throw Status(error) }
    try directory.count(handle.id, for: client)
    let suspendedFor = clockwork.suspension.map { clockwork.now - $0.began } ?? .zero
    clockwork.suspension?.end?.cancel()
    clockwork.suspension = nil
    let lastEvent = point.lastEventID ?? session.state.lastEventID
    let answer = session.apply(
      .resumed(
        microphoneSample: point.microphoneSample, allowsEnrollment: client.has(.enroll)),
      sink: self)
    flow.restart()
    outlet.link = link
    send(
      Anechoic_V1_Started.Resumed.with {
        $0.microphoneSample = session.expectedMicrophoneIndex
        $0.concealedSamples = answer.concealedSamples
        $0.suspendedFor = Google_Protobuf_Duration(suspendedFor)
      }, eventsAfter: lastEvent, outputFrom: point.processedSamples)
  }

  private func check(_ point: ResumePoint) throws(InvalidFieldError) {
    if let last = point.lastEventID, last > session.state.lastEventID {
      throw .resumePoint(
        "last_event_id", "must be at most \(session.state.lastEventID), the last event")
    }
    if let processed = point.processedSamples, processed > session.processedSamples {
      throw .resumePoint(
        "processed_samples", "must be at most \(session.processedSamples), the end of the output"
      )
    }
  }

  /// Sends `started`, and then the events and the output that the client has missed.
  private func send(
    _ resumed: Anechoic_V1_Started.Resumed, eventsAfter last: UInt64, outputFrom sample: Int64?
  ) {
    var started = started
    started.resumed = resumed
    let sent = session.processedSamples
    let wanted = sample ?? sent
    let oldest = min(flow.history?.oldestSample ?? sent, sent)
    started.resumed.processedSample = max(wanted, oldest)
    started.resumed.lostSamples = max(0, oldest - wanted)
    flow.lost(started.resumed.lostSamples)
    let lostEvents = outlet.lostEvents(after: last)
    started.resumed.lostEvents = lostEvents
    outlet.link?.output.send(.with { $0.started = started })
    outlet.sendEvents(from: last + 1 + lostEvents)
    if let voiceprint = session.learntVoiceprint { emit(voiceprint) }
    _ = flow.history?.read(from: wanted) { outlet.link?.output.send(audio: $0) }
  }

  // MARK: Timers

  /// Stops the timers of a session that ends or leaves its thread.
  func stopTimers() {
    clockwork.stop()
    for deadline in waiting.deadlines.values { deadline.timer?.cancel() }
  }

  private func startTimers() {
    clockwork.lifetime?.move(to: clockwork.thread)
    for id in waiting.deadlines.keys { startDeadline(ofGesture: id) }
    if let suspension = clockwork.suspension, let resumption = handle.resumption {
      let end = endTimer(after: resumption.window - (clockwork.now - suspension.began))
      clockwork.suspension?.end = end
    }
  }

  /// Starts the timer that ends the session if its client does not return.
  private func endTimer(after time: Duration) -> Timer? {
    clockwork.thread.schedule(after: max(.zero, time)) { [weak self] in
      guard let self, !isEnding else { return }
      close()
    }
  }
}
