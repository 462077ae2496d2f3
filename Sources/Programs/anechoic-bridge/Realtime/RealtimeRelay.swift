internal import Operations

/// The rules of a call between a client and a Realtime API.
///
/// Every message passes unchanged, except for the client's sound, which is processed, and for the events that
/// docs/reference/bridge.md lists.
struct RealtimeRelay: Relay {
  /// The settings of a call.
  struct Settings: Sendable {
    /// Whether an answer that the person interrupts is truncated upstream.
    var truncates = true
    /// Whether the Anechoic server finds turns, in the place of the upstream.
    var findsTurns = false
    /// The delay of the voice.
    var delay = Duration.milliseconds(120)
    /// The rates of PCM in Hz, where a session does not name them.
    var inputRate = RealtimeSession.pcmRate
    var outputRate = RealtimeSession.pcmRate
    /// Creates a voice at a rate in Hz, with the id of the session.
    var makeVoice: @Sendable (_ rate: Int, _ session: String) throws -> any CleanedVoice
  }

  /// An event of the client that follows the sound before it.
  enum Item {
    case append(RealtimeEvent)
    case message(WebSocketMessage)
    /// A message after which the upstream has no sound any more.
    case clear(WebSocketMessage)
    case update(RealtimeEvent, WebSocketMessage)
  }

  /// The party that finds turns.
  enum TurnFinder {
    case upstream
    case bridge
  }

  /// The turns of the client.
  struct Turns {
    /// The turn detection that the client wants. Nil is none.
    var wanted: [String: Any]?
    var finder = TurnFinder.upstream
    /// Whether a server processes the voice, so that the bridge may find turns.
    var isProcessed = false
    /// The sound that passes while the bridge finds turns.
    var gate: TurnGate
    /// A turn that may only be a backchannel beside an answer.
    var held: HeldTurn?
    /// The number of the newest turn.
    var last = 0
    /// The time of the sound that was sent upstream, in seconds.
    var sentSeconds = 0.0
  }

  /// The formats that the client has asked for. Nil while it has not.
  struct WantedFormats {
    var input: RealtimeSession.StatedFormat?
    var output: RealtimeSession.StatedFormat?
    /// Whether the client's sound has a format that cannot be processed.
    var isInputUnknown = false
  }

  /// The responses of the upstream.
  struct Responses {
    /// The response that runs, and the one that was interrupted.
    var running: String?
    var interrupted: String?
    /// Whether the bridge has cancelled the response that runs.
    var hasCancelled = false
    /// Whether the client or the upstream has cancelled the newest response.
    var isGivenUp = false
    /// Whether the bridge asks for a response once none runs any more.
    var isOwed = false
    /// The ends of the items that the bridge has truncated, in ms.
    var truncations: [String: Int] = [:]
  }

  /// The bytes of events that follow sound, at which messages of the client wait.
  private static let mostHeld = 1 << 20
  /// The longest piece of sound that is sent upstream, in seconds.
  private static let piece = 0.1
  let settings: Settings
  let name: String
  var outbox = RelayOutbox()
  /// The session as the upstream described it last.
  var session = RealtimeSession([:])
  var input: WireAudio
  private var wanted = WantedFormats()
  private var upstream: UpstreamSound
  var line: LiveLine<Item>?
  var playback: PlaybackLine
  /// An update of the session that changes the format of the client's sound, and waits for the sound before.
  private var formatChange: (event: RealtimeEvent, message: WebSocketMessage)?
  private var heldBytes = 0
  /// The byte of a sample that is split between two messages of the client.
  private var inputHalf: UInt8?

  var turns: Turns
  var responses = Responses()
  /// The number of the newest event of the bridge.
  var lastOwn = 0

  init(_ name: String, _ settings: Settings, now: Instant) {
    self.name = name
    self.settings = settings
    input = .pcm16(rate: settings.inputRate)
    upstream = UpstreamSound(format: .pcm16(rate: settings.outputRate))
    playback = PlaybackLine(rate: input.rate, now: now)
    turns = Turns(gate: TurnGate(rate: input.rate))
  }

  var readsClient: Bool {
    formatChange == nil && line?.isFull != true && heldBytes < Self.mostHeld
  }
  var isDrained: Bool { line?.isEmpty ?? true }

  // MARK: The client

  mutating func acceptFromClient(_ message: WebSocketMessage, now: Instant) {
    guard let event = RealtimeEvent(message) else { return pass(message) }
    switch event.type {
    case "input_audio_buffer.append":
      guard !wanted.isInputUnknown, let text = event.text("audio"),
        let samples = input.samples(text, after: &inputHalf)
      else { return pass(message) }
      append(event, samples, message, now)
    case "session.update", "transcription_session.update": update(event, message, now)
    case "conversation.item.truncate": truncate(event, message)
    case "response.cancel":
      // The upstream would answer that no response runs.
      let id = event.text("response_id")
      if responses.hasCancelled, id == nil || id == responses.interrupted { return }
      // The upstream may have ended the response meanwhile.
      if id == nil || id == responses.running { responses.isGivenUp = true }
      pass(message)
    case "input_audio_buffer.commit":
      inputHalf = nil  // The upstream begins with an empty buffer.
      hold(message, as: .message(message))
    case "input_audio_buffer.clear":
      inputHalf = nil
      hold(message, as: .clear(message))
    default: pass(message)
    }
  }

  /// Sends a message of the client after the sound before it.
  private mutating func hold(_ message: WebSocketMessage, as item: Item) {
    guard line != nil else { return outbox.toUpstream.append(message) }
    heldBytes += message.bytes.count
    line?.add(item)
  }

  /// Sends a message of the client, after those that wait for sound.
  private mutating func pass(_ message: WebSocketMessage) {
    guard line?.holdsItem == true else { return outbox.toUpstream.append(message) }
    hold(message, as: .message(message))
  }

  private mutating func append(
    _ event: RealtimeEvent, _ samples: [Int16], _ message: WebSocketMessage, _ now: Instant
  ) {
    do {
      if line == nil {
        line = LiveLine(
          try settings.makeVoice(input.rate, session.id ?? name), rate: input.rate,
          delay: settings.delay, longestPiece: Int(Self.piece * Double(input.rate)), now: now)
      }
      line?.add(.append(event), samples, now: now)
    } catch {
      outbox.log.append("not processed: \(error)")
      pass(message)
    }
  }

  private mutating func update(
    _ event: RealtimeEvent, _ message: WebSocketMessage, _ now: Instant
  ) {
    heldBytes += message.bytes.count
    let asked = RealtimeSession(event.object("session") ?? [:])
    wanted.output = asked.outputFormat(pcm: outputRate) ?? wanted.output
    guard let format = asked.inputFormat(pcm: inputRate),
      wanted.isInputUnknown || format != .known(input)
    else {
      if line == nil { return send(.update(event, message)) }
      line?.add(.update(event, message))
      return
    }
    wanted.input = format
    formatChange = (event, message)
    line?.flush()
    changeFormat(now)
  }

  /// Uses another format of the client's sound, once the sound before has left.
  private mutating func changeFormat(_ now: Instant) {
    guard isDrained, let (event, message) = formatChange.take() else { return }
    line?.close()
    line = nil
    if let format = wanted.input { use(format, now) }
    // Until a session processes the new format, nothing but the upstream finds turns.
    turns.isProcessed = false
    chooseFinder()
    send(.update(event, message))
  }

  /// The client knows better than the bridge what it has played, unless the bridge has truncated more.
  private mutating func truncate(_ event: RealtimeEvent, _ message: WebSocketMessage) {
    let end = event.fields["audio_end_ms"] as? Int ?? 0
    if let item = event.text("item_id"), let own = responses.truncations[item], end >= own {
      return
    }
    if playback.plays(event.text("item_id") ?? "") {
      _ = playback.stop()
      responses.interrupted = responses.running ?? responses.interrupted
    }
    pass(message)
  }

  // MARK: Time

  mutating func advance(now: Instant) {
    for piece in line?.advance(&playback, now: now) ?? [] { send(piece) }
    playback.advance(now: now, blocks: line?.blockLength)
    changeFormat(now)
    while let change = line?.nextChange() { accept(change, now) }
    releaseTurn(now)
  }

  private mutating func send(_ piece: LiveLine<Item>.Piece) {
    guard case .append(var event) = piece.item else { return send(piece.item) }
    let samples = turns.gate.pass(piece.samples)
    guard !samples.isEmpty else { return }
    if !piece.isFirst { event = RealtimeEvent(event.type) }
    send(samples, as: event)
  }

  private mutating func send(_ item: Item) {
    switch item {
    case .append: break
    case .message(let message), .clear(let message):
      heldBytes -= message.bytes.count
      if case .clear = item { turns.gate.clear() }
      outbox.toUpstream.append(message)
    case .update(var event, let message):
      heldBytes -= message.bytes.count
      let asked = RealtimeSession(event.object("session") ?? [:])
      record(asked.turnDetection)
      if turns.finder == .bridge, case .on = asked.turnDetection {
        event.fields["session"] = asked.withoutTurnDetection
        outbox.toUpstream.append(event.message)
      } else {
        outbox.toUpstream.append(message)
      }
    }
  }

  /// Sends sound upstream.
  mutating func send(_ samples: [Int16], as event: RealtimeEvent) {
    var event = event
    event.fields["audio"] = input.text(samples)
    turns.sentSeconds += Double(samples.count) / Double(input.rate)
    outbox.toUpstream.append(event.message)
  }

  mutating func clientEnded(now: Instant) { line?.flush() }

  mutating func close() { line?.close() }

  // MARK: The upstream

  /// Adds sound of the upstream to the playback.
  mutating func play(_ event: RealtimeEvent, _ now: Instant) {
    let item = event.text("item_id") ?? ""
    guard let text = event.text("delta"), let samples = upstream.decode(text, of: item) else {
      return
    }
    if let response = event.text("response_id"), response == responses.interrupted { return }
    let source = PlaybackLine.Source(
      item: item, contentIndex: event.fields["content_index"] as? Int ?? 0)
    playback.append(upstream.convert(samples, to: input.rate), of: source, at: now)
  }

  /// Uses the formats that the upstream describes. A client may ask for others before the upstream describes
  /// the session for the first time.
  mutating func use(_ new: RealtimeSession, isFirst: Bool, now: Instant) {
    session = new
    if let format = new.outputFormat(pcm: outputRate) ?? wanted.output {
      upstream.format = format.audio
    }
    if isFirst, wanted.input == nil, line == nil,
      let format = new.inputFormat(pcm: inputRate), format != .known(input)
    {
      use(format, now)
    }
  }

  /// The rates of PCM where an event names none: those that the upstream has named.
  private var inputRate: Int {
    session.inputFormat(pcm: settings.inputRate)?.audio?.pcmRate ?? settings.inputRate
  }
  private var outputRate: Int {
    session.outputFormat(pcm: settings.outputRate)?.audio?.pcmRate ?? settings.outputRate
  }

  /// Uses a format of the client's sound from here on.
  private mutating func use(_ format: RealtimeSession.StatedFormat, _ now: Instant) {
    wanted.isInputUnknown = format.audio == nil
    if case .unknown(let name) = format {
      outbox.log.append("not processed: the format \(name) is not supported")
    }
    input = format.audio ?? input
    inputHalf = nil
    playback = PlaybackLine(rate: input.rate, now: now)
    upstream.restart()
    turns.gate = TurnGate(rate: input.rate)
  }
}
