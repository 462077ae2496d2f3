internal import Foundation
internal import Operations

/// The rules of a call between a telephone provider and an application that exchange media streams.
///
/// The provider is the client. Its messages reach the application in their order, all later by the delay of
/// the voice, the caller's sound processed. The messages of the application pass at once: its sound is the
/// reference of the echo canceller.
struct MediaStreamRelay: Relay {
  /// The settings of a call.
  struct Settings: Sendable {
    /// The delay of the voice.
    var delay = Duration.milliseconds(120)
    var applicationFormat = ApplicationFormat.ofStream
    /// Creates a voice at a rate in Hz for a call.
    var makeVoice: @Sendable (_ rate: Int, _ start: Start) throws -> any CleanedVoice
  }

  /// The call that starts.
  struct Start {
    /// The id of the call.
    let call: String
    /// The line of the call: its echo path may be that of the last call on it.
    let line: String
  }

  private enum Item {
    case media(MediaStreamMessage)
    case message(WebSocketMessage)
  }

  /// The bytes of messages that wait, at which further ones of the provider wait.
  private static let mostHeld = 1 << 20

  var outbox = RelayOutbox()
  private let settings: Settings
  private let name: String
  private var format: WireAudio?
  private var line: LiveLine<Item>?
  private var playback: PlaybackLine
  /// The start of another stream on the connection, which waits for the sound of the one before.
  private var nextStart: MediaStreamMessage?
  private var heldBytes = 0
  /// The sample that is split between two messages of the caller.
  private var inputHalf: UInt8?
  /// The sound that the caller hears.
  private var sound = UpstreamSound()
  /// Whether the application's sound in this stream is MP3. Nil before the first sound.
  private var isMP3: Bool?
  /// The format of the WAV whose header came last in this stream, nil if it cannot be decoded.
  private var waveFormat: WireAudio??
  /// Whether the log names a format of the application in this stream that cannot be decoded.
  private var hasNamedFormat = false
  /// The id of the stream that goes on, if it has one.
  private var runningStream: String?
  private var order = MediaOrder()
  private var clock = MediaClock(rate: 8000)
  /// Whether the provider sends what the caller hears, which is then the reference.
  private var hasOutbound = false

  init(_ name: String, _ settings: Settings, now: Instant) {
    self.name = name
    self.settings = settings
    playback = PlaybackLine(rate: 8000, now: now)
  }

  var readsClient: Bool {
    nextStart == nil && line?.isFull != true && heldBytes < Self.mostHeld
  }
  var isDrained: Bool { nextStart == nil && line?.isEmpty ?? true }

  // MARK: The provider

  mutating func acceptFromClient(_ message: WebSocketMessage, now: Instant) {
    guard let stream = MediaStreamMessage(message) else { return pass(message) }
    switch stream.event {
    // A start that comes twice begins nothing.
    case "start"
    where line != nil && stream.stream != nil && stream.stream == runningStream
      && stream.format == format:
      break
    case "start" where line != nil:
      addLate(now)
      line?.flush()
      nextStart = stream
      return
    case "start": start(stream, now)
    case "media" where stream.isOutbound:
      if !hasOutbound { _ = playback.stop() }
      (hasOutbound, order.hasTwoTracks) = (true, true)
      play(stream, at: nil)
      return pass(message)
    case "media" where line != nil:
      for stream in order.add(stream, now: now) { add(stream, now) }
      return
    case "stop":
      runningStream = nil
      addLate(now)
      pass(message)
      line?.flush()
      return
    default: break
    }
    addLate(now)
    pass(message)
  }

  /// Adds media of the caller.
  private mutating func add(_ stream: MediaStreamMessage, _ now: Instant) {
    guard let payload = stream.payload, !payload.isEmpty,
      let samples = format?.samples(payload, after: &inputHalf)
    else { return pass(stream.message) }
    let lost = clock.lost(before: stream.timestamp, samples.count)
    // A sample of which only a half has come goes with its other half.
    if !samples.isEmpty { line?.add(.media(stream), samples, after: lost, now: now) }
  }

  /// Adds media that wait for others.
  private mutating func addLate(_ now: Instant) {
    for stream in order.release() { add(stream, now) }
  }

  /// Begins another stream, once the sound of the one before has left.
  private mutating func restart(_ now: Instant) {
    guard line?.isEmpty == true, let stream = nextStart.take() else { return }
    close()
    start(stream, now)
    pass(stream.message)
  }

  private mutating func start(_ stream: MediaStreamMessage, _ now: Instant) {
    (line, format) = (nil, nil)
    (inputHalf, hasOutbound, runningStream) = (nil, false, stream.stream)
    order = MediaOrder()
    sound = UpstreamSound()
    (isMP3, hasNamedFormat, waveFormat) = (nil, false, nil)
    playback = PlaybackLine(rate: 8000, keepsPauses: true, now: now)
    let call = stream.call ?? name
    outbox.log.append("stream of \(call)")
    guard let format = stream.format else {
      return outbox.log.append("not processed: the format \(stream.formatWords) is not supported")
    }
    do {
      line = LiveLine(
        try settings.makeVoice(format.rate, Start(call: call, line: stream.line)),
        rate: format.rate, delay: settings.delay, now: now)
      self.format = format
      playback = PlaybackLine(rate: format.rate, keepsPauses: true, now: now)
      clock = MediaClock(rate: format.rate)
    } catch {
      outbox.log.append("not processed: \(error)")
    }
  }

  /// Sends a message of the provider, after those that wait.
  private mutating func pass(_ message: WebSocketMessage) {
    guard line != nil else { return outbox.toUpstream.append(message) }
    heldBytes += message.bytes.count
    line?.add(.message(message))
  }

  // MARK: The application

  mutating func acceptFromUpstream(_ message: WebSocketMessage, now: Instant) {
    if let stream = MediaStreamMessage(message) {
      if !hasOutbound, stream.isSound { play(stream, at: now) }
      // The provider plays no more of what it has.
      if !hasOutbound, stream.isClear {
        _ = playback.stop()
        sound = UpstreamSound()
      }
    }
    outbox.toClient.append(message)
  }

  /// Adds sound that the caller hears. That of the outbound track comes together with the caller's
  /// of the same time, and has no time of its own.
  private mutating func play(_ stream: MediaStreamMessage, at time: ContinuousClock.Instant?) {
    guard let format, var bytes = stream.payload.flatMap(WireAudio.bytes) else { return }
    sound.format = hasOutbound ? format : applicationFormat(of: stream, &bytes, in: format)
    guard let samples = sound.decode(bytes) else { return }
    playback.append(sound.convert(samples, to: format.rate), at: time)
  }

  /// Returns the format of the application's sound, or nil if it cannot be the reference. Leaves the sound
  /// of a file in `bytes`.
  private mutating func applicationFormat(
    of stream: MediaStreamMessage, _ bytes: inout Data, in format: WireAudio
  ) -> WireAudio? {
    guard settings.applicationFormat != .unused else { return nil }
    let file = SoundFile(bytes)
    if case .wav(let own, let start) = file {
      bytes = bytes.dropFirst(start)
      waveFormat = .some(own)
      return own ?? notReference("WAV")
    }
    if let name = stream.contentType { return stream.ownFormat ?? notReference(name) }
    if case .known(let stated) = settings.applicationFormat { return stated }
    // The next piece of the file.
    if let waveFormat { return waveFormat ?? notReference("WAV") }
    // Only the first sound: the beginning of other sound can look like MP3 by chance.
    let isMP3 = isMP3 ?? (file == .mp3)
    self.isMP3 = isMP3
    return isMP3 ? notReference("MP3") : format
  }

  /// Logs once in a stream that the application's sound cannot be the reference. Returns nil.
  private mutating func notReference(_ name: String) -> WireAudio? {
    if !hasNamedFormat {
      outbox.log.append(
        "no reference: the format \(name.prefix(40)) of the application is not supported")
    }
    hasNamedFormat = true
    return nil
  }

  // MARK: Time

  mutating func advance(now: Instant) {
    for stream in order.due(now: now) { add(stream, now) }
    for piece in line?.advance(&playback, now: now) ?? [] { send(piece) }
    playback.advance(now: now, blocks: line?.blockLength)
    restart(now)
    while let change = line?.nextChange() {
      if let words = change.line { outbox.log.append(words) }
    }
  }

  private mutating func send(_ piece: LiveLine<Item>.Piece) {
    switch piece.item {
    case .message(let message):
      heldBytes -= message.bytes.count
      outbox.toUpstream.append(message)
    case .media(var stream):
      stream.payload = format?.text(piece.samples)
      outbox.toUpstream.append(stream.message)
    }
  }

  mutating func clientEnded(now: Instant) {
    addLate(now)
    line?.flush()
  }

  mutating func close() { line?.close() }
}
