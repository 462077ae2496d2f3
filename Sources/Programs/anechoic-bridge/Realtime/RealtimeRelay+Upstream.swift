internal import Operations

/// The events of the upstream, and turns.
extension RealtimeRelay {
  /// The beginning of the ids of the bridge's own events.
  private static let ownPrefix = "event_anechoic_"
  /// The code of the error of a request for a response while another one runs.
  private static let activeCode = "conversation_already_has_active_response"
  /// The truncated items that are remembered.
  private static let mostTruncations = 64

  mutating func acceptFromUpstream(_ message: WebSocketMessage, now: Instant) {
    guard let event = RealtimeEvent(message) else { return outbox.toClient.append(message) }
    switch event.type {
    case "session.created", "transcription_session.created":
      let new = RealtimeSession(event.object("session") ?? [:])
      use(new, isFirst: true, now: now)
      // An upstream that does not say so finds turns.
      if case .absent = new.turnDetection {
        record(.on(["type": "server_vad"]))
      } else {
        record(new.turnDetection)
      }
      outbox.log.append("session \(new.id ?? "without an id")")
    case "session.updated", "transcription_session.updated":
      use(RealtimeSession(event.object("session") ?? [:]), isFirst: false, now: now)
    case "response.created" where event.isOfConversation:
      // A client does not play the rest of a cancelled answer before the next one.
      if responses.isGivenUp { _ = playback.stop() }
      responses.running = event.object("response")?["id"] as? String
      (responses.hasCancelled, responses.isGivenUp) = (false, false)
    case "response.done" where event.isOfConversation: responseEnded(event)
    case "response.output_audio.delta", "response.audio.delta": play(event, now)
    case "input_audio_buffer.speech_started":
      if turns.finder == .upstream, isOn("interrupt_response") { interrupt(cancels: false) }
    case "error":
      // A client has no use for a fault of an event that it did not send.
      if let id = event.object("error")?["event_id"] as? String, id.hasPrefix(Self.ownPrefix) {
        let words = event.object("error")?["message"] as? String ?? ""
        if event.object("error")?["code"] as? String == Self.activeCode { responses.isOwed = true }
        return outbox.log.append("the upstream refused \(id): \(words.prefix(200))")
      }
    default: break
    }
    outbox.toClient.append(message)
  }

  private mutating func responseEnded(_ event: RealtimeEvent) {
    let response = event.object("response")
    if response?["id"] as? String == responses.running {
      if response?["status"] as? String == "cancelled" { responses.isGivenUp = true }
      responses.running = nil
      responses.hasCancelled = false
    }
    if responses.isOwed, responses.running == nil { createResponse() }
  }

  // MARK: Interruptions

  /// Stops the answer: the client plays no more of it.
  private mutating func interrupt(cancels: Bool) {
    let stopped = playback.stop()
    responses.interrupted = responses.running ?? responses.interrupted
    guard settings.truncates else { return }
    for (source, played) in stopped {
      let end = played * 1000 / playback.rate
      if responses.truncations.count >= Self.mostTruncations { responses.truncations.removeAll() }
      responses.truncations[source.item] = end
      sendOwn(
        "conversation.item.truncate",
        ["item_id": source.item, "content_index": source.contentIndex, "audio_end_ms": end])
      outbox.log.append("interrupted after \(end) ms of \(source.item)")
    }
    if cancels, let running = responses.running, !responses.hasCancelled {
      responses.hasCancelled = true
      sendOwn("response.cancel", ["response_id": running])
    }
  }

  // MARK: Turns

  /// Records the turn detection that the client wants.
  mutating func record(_ setting: RealtimeSession.Setting) {
    switch setting {
    case .absent: return
    case .off: turns.wanted = nil
    case .on(let settings): turns.wanted = settings
    }
    chooseFinder()
  }

  /// Follows a change of the voice.
  mutating func accept(_ change: VoiceChange, _ now: Instant) {
    if let line = change.line { outbox.log.append(line) }
    switch change {
    case .processing, .fallback:
      if case .processing = change { turns.isProcessed = true } else { turns.isProcessed = false }
      chooseFinder()
    case .late: break
    default: if turns.finder == .bridge { follow(change, now) }
    }
  }

  /// Follows a turn that Anechoic has found.
  private mutating func follow(_ change: VoiceChange, _ now: Instant) {
    switch change {
    case .turnStarted where playback.holdsSound:
      turns.held = HeldTurn(since: now)
      turns.gate.keepsAll = true
    case .turnStarted: turnStarted()
    case .turnInterrupts where turns.held != nil: turnStarted()
    case .turnPauses: turns.held?.isPaused = true
    case .turnContinues: turns.held?.isPaused = false
    // It was a backchannel.
    case .turnEnded where turns.held != nil, .turnWithdrawn where turns.held != nil:
      turns.held = nil
      turns.gate.close()
    case .turnEnded: turnEnded()
    case .turnWithdrawn: turnWithdrawn()
    case .turnInterrupts, .processing, .fallback, .late: break
    }
  }

  /// Starts the turn that was held back once it is no backchannel, or the answer has been heard.
  mutating func releaseTurn(_ now: Instant) {
    guard let held = turns.held else { return }
    if !playback.holdsSound || held.isSpeech(now, besideSound: playback.isAudible) { turnStarted() }
  }

  /// The bridge finds turns while a server processes the voice and the client wants turns at all.
  mutating func chooseFinder() {
    let isOwn = settings.findsTurns && turns.isProcessed && turns.wanted != nil
    guard isOwn != (turns.finder == .bridge) else { return }
    turns.finder = isOwn ? .bridge : .upstream
    turns.held = nil
    if isOwn {
      turns.gate.close()
      sendOwn(session.update(turnDetection: nil))
    } else {
      sendPreRoll()
      if let wanted = turns.wanted { sendOwn(session.update(turnDetection: wanted)) }
    }
    outbox.log.append("turns are found by \(isOwn ? "Anechoic" : "the upstream")")
  }

  private mutating func turnStarted() {
    turns.held = nil
    sendTurn("speech_started", "audio_start_ms")
    sendPreRoll()
    if isOn("interrupt_response") { interrupt(cancels: true) }
  }

  private mutating func turnEnded() {
    guard turns.gate.isOpen else { return }
    turns.gate.close()
    sendTurn("speech_stopped", "audio_end_ms")
    sendOwn("input_audio_buffer.commit")
    if !session.isTranscription, isOn("create_response") { createResponse() }
  }

  private mutating func turnWithdrawn() {
    guard turns.gate.isOpen else { return }
    turns.gate.close()
    sendTurn("speech_stopped", "audio_end_ms")
    sendOwn("input_audio_buffer.clear")
  }

  private mutating func sendPreRoll() {
    let samples = turns.gate.open()
    if !samples.isEmpty { send(samples, as: RealtimeEvent("input_audio_buffer.append")) }
  }

  /// Asks for an answer, once none runs any more.
  private mutating func createResponse() {
    responses.isOwed = responses.running != nil && !responses.hasCancelled
    if !responses.isOwed { sendOwn("response.create") }
  }

  /// Returns a switch of the turn detection that the client wants, which is on unless it says otherwise.
  private func isOn(_ name: String) -> Bool {
    turns.wanted?[name] as? Bool ?? (turns.wanted != nil)
  }

  /// Tells the client about a turn, as the API does.
  private mutating func sendTurn(_ event: String, _ field: String) {
    if event == "speech_started" { turns.last += 1 }
    let fields: [String: Any] = [
      "event_id": "\(Self.ownPrefix)\(event)_\(turns.last)",
      "item_id": "item_anechoic_\(turns.last)",
      field: Int((turns.sentSeconds * 1000).rounded()),
    ]
    outbox.toClient.append(RealtimeEvent("input_audio_buffer.\(event)", fields).message)
  }

  private mutating func sendOwn(_ type: String, _ fields: [String: Any] = [:]) {
    sendOwn(RealtimeEvent(type, fields))
  }

  /// Sends an event of the bridge upstream.
  private mutating func sendOwn(_ event: RealtimeEvent) {
    var event = event
    lastOwn += 1
    event.fields["event_id"] = "\(Self.ownPrefix)\(lastOwn)"
    outbox.toUpstream.append(event.message)
  }
}
