internal import Foundation
internal import LinuxSystem
internal import LiveVoice
internal import Operations

/// A telephone call between an exchange (Asterisk, FreeSWITCH) and an application, both of which speak
/// AudioSocket.
///
/// The caller's voice goes to the application without the echo of the application's sound, and the
/// application's sound goes to the caller. One thread runs the call from its start to its end. Each
/// block of the caller's samples causes a block of the same length in both directions, so that the
/// clock of the exchange drives the call; while the exchange sends nothing, the bridge's clock does.
struct BridgedCall: ~Copyable {
  /// The time for the connection to the application.
  private static let patience = Duration.seconds(5)
  /// The time without audio from the exchange after which silence takes its place, and its length.
  private static let pause = Duration.milliseconds(100)
  private static let block = Duration.milliseconds(20)
  /// The application's audio that waits before the bridge stops reading, in seconds. An application that
  /// sends a whole sentence at once is so held back to real time.
  private static let longestQueue = 1.0
  /// The audio that waits to be sent to a side that does not read, in seconds. Later audio is dropped.
  private static let longestBacklog = 1.0
  /// The bytes that may wait for such a side before other frames are dropped as well.
  private static let mostWaitingBytes = 256 << 10

  private let settings: BridgeSettings
  private let isStopping: @Sendable () -> Bool
  private var phone: SecureSocket
  private var application: ConnectedSocket
  private var fromPhone: AudioSocketParser
  private var fromApplication = AudioSocketParser()
  private var playback = PlaybackQueue()
  private var backlog = PlaybackBacklog()
  private var missing = MissingAudio()
  private var length = AudioLength()
  private var budget = MediaBudget(now: .now)
  private var conversion = RateConversion()
  private var voice: CallVoice?
  private var lastBlock = ContinuousClock.now
  /// The changes of the format. Each format has a session of its own, so a call whose formats alternate
  /// would begin one with each block.
  private var changes = TokenBucket(burst: 4, perSecond: 1)
  private var counts = CallCounts()
  /// The time of the end, which leaves time for sound that is on its way.
  private var end: (time: ContinuousClock.Instant, reason: String)?
  private let name: String
  private let exchange: String

  private init(
    _ caller: Newcomers.Caller, _ settings: BridgeSettings,
    isStopping: @escaping @Sendable () -> Bool, phone: consuming SecureSocket,
    application: consuming ConnectedSocket, name: String
  ) {
    self.settings = settings
    self.isStopping = isStopping
    self.phone = phone
    self.application = application
    fromPhone = caller.parser
    exchange = caller.host
    self.name = name
  }

  /// Connects to the application.
  static func accepted(
    _ caller: Newcomers.Caller, _ settings: BridgeSettings,
    isStopping: @escaping @Sendable () -> Bool
  ) throws(CallError) -> BridgedCall {
    let name = text(ofUUID: caller.identifier)
    guard var phone = caller.takeSocket() else {
      throw CallError("call \(name): it has no connection")
    }
    do throws(CallError) {
      var application = try connect(settings)
      application.send(AudioSocketFrame(AudioSocketFrame.identifier, caller.identifier).bytes)
      return BridgedCall(
        caller, settings, isStopping: isStopping, phone: phone, application: application,
        name: name)
    } catch {
      phone.hangUp()
      throw CallError("call \(name): \(error)")
    }
  }

  private static func connect(_ settings: BridgeSettings) throws(CallError) -> ConnectedSocket {
    let place = "the application at \(settings.application)"
    do {
      return try ConnectedSocket.dialing(settings.host, settings.port, by: .now + patience)
    } catch {
      switch error {
      case .unreachable: throw CallError("\(place) cannot be reached")
      case .silent: throw CallError("\(place) does not answer")
      case .failed(let words): throw CallError("\(place): \(words)")
      }
    }
  }

  /// Runs the call to its end.
  consuming func run() {
    settings.log("call \(name): started")
    lastBlock = .now
    while end.map({ $0.time > .now }) ?? true { step() }
    finish()
  }

  private mutating func step() {
    var events = [
      interest(in: phone.descriptor, sends: phone.waitingBytes > 0, reads: end == nil),
      interest(
        in: application.descriptor, sends: application.waitingBytes > 0, reads: readsApplication),
    ]
    poll(&events, 2, Int32(Self.block / .milliseconds(1)))
    let (atPhone, atApplication) = (events[0].revents, events[1].revents)
    if atPhone & Int16(POLLOUT) != 0 { phone.flush() }
    if atApplication & Int16(POLLOUT) != 0 { application.flush() }
    if atPhone & ~Int16(POLLOUT) != 0, end == nil { readPhone() }
    if atApplication & ~Int16(POLLOUT) != 0, readsApplication { readApplication() }
    replaceMissingAudio()
    voice?.report(to: settings.log, as: name)
    if end == nil, isStopping() { stop("the bridge stops") }
  }

  /// A connection that is lost would end each wait at once, so one of which nothing is wanted is left out.
  private func interest(in descriptor: Int32, sends: Bool, reads: Bool) -> pollfd {
    let events = Int16(reads ? POLLIN : 0) | Int16(sends ? POLLOUT : 0)
    return pollfd(fd: events == 0 ? -1 : descriptor, events: events, revents: 0)
  }

  /// Whether there is room for more of the application's audio.
  private var readsApplication: Bool {
    guard end == nil else { return false }
    guard let voice else { return playback.count < 1 << 14 }
    return playback.count < voice.bytes(Self.longestQueue)
  }

  // MARK: From the exchange

  private mutating func readPhone() {
    var bytes: [UInt8] = []
    do throws(TLSError) {
      let isOpen = try phone.receive(into: &bytes)
      fromPhone.append(bytes)
      var frames: [AudioSocketFrame] = []
      while let frame = fromPhone.next() { frames.append(frame) }
      let blocks = frames.compactMap(settings.types.seconds)
      budget.begin(burst: blocks.reduce(0, +), longest: blocks.max() ?? 0, at: .now)
      for frame in frames where end == nil { acceptFromPhone(frame) }
      if !isOpen { stop("the caller's side closed the connection") }
    } catch {
      stop("the caller's side: \(error)")
    }
  }

  private mutating func acceptFromPhone(_ frame: AudioSocketFrame) {
    switch frame.type {
    case AudioSocketFrame.hangup: stop("the caller hung up")
    case AudioSocketFrame.error: stop("the exchange reported an error")
    case AudioSocketFrame.identifier: counts.invalid += 1
    case _ where frame.isAudio:
      guard let samples = wholeSamples(frame), let seconds = settings.types.seconds(frame) else {
        return
      }
      let now = ContinuousClock.now
      let isOther = voice?.type != frame.type
      guard missing.came(seconds, at: now), !isOther || changes.take(now: now),
        budget.admits(seconds, at: now)
      else { return counts.late += 1 }
      guard use(frame.type) else { return }
      while missing.takes(seconds) {
        budget.insert(seconds, at: now)
        exchange([UInt8](repeating: 0, count: samples.count))
        counts.missing += 1
      }
      exchange(samples)
      lastBlock = now
      if length.isHalf(after: seconds, at: now) {
        settings.log(
          "call \(name): the audio lasts half of its time: it looks like \u{b5}-law or A-law; in "
            + "Asterisk, add c(slin) to Dial")
      }
    // Digits and messages that this version does not know.
    default: sendToApplication(frame, below: Self.mostWaitingBytes)
    }
  }

  /// Returns the audio without half a sample at its end. Returns nil if nothing is left.
  private mutating func wholeSamples(_ frame: AudioSocketFrame) -> [UInt8]? {
    if frame.payload.count % 2 != 0 { counts.invalid += 1 }
    let samples = frame.payload.count % 2 == 0 ? frame.payload : frame.payload.dropLast()
    return samples.isEmpty ? nil : samples
  }

  /// Uses the format of a type of audio from here on. Returns whether that is possible.
  private mutating func use(_ type: UInt8) -> Bool {
    if voice?.type == type { return true }
    guard let rate = settings.types[type] else { return false }
    do {
      let successor = try CallVoice(type: type, rate: rate, settings, call: name, of: exchange)
      // The application's sound that waits already is played at the new rate.
      if let voice { _ = play(playback.pop(playback.count), from: voice.rate, to: rate) }
      // Nothing is missing before the first audio of either side.
      if voice == nil { lastBlock = .now }
      voice?.close()
      voice = successor
      return true
    } catch {
      stop("audio of type 0x\(String(type, radix: 16)) cannot be used: \(error)")
      return false
    }
  }

  /// Puts silence in the place of audio that the exchange does not send.
  private mutating func replaceMissingAudio() {
    guard let voice else { return }
    while ContinuousClock.now - lastBlock > Self.pause {
      let samples = [UInt8](repeating: 0, count: voice.bytes(Self.block / .seconds(1)))
      budget.replace(Self.block / .seconds(1), at: .now)
      exchange(samples)
      counts.missing += 1
      lastBlock += Self.block
      missing.restart()
      length.restart()
    }
  }

  /// Sends a block in both directions, and takes one from both.
  private mutating func exchange(_ microphone: [UInt8]) {
    guard let voice else { return }
    let played = playback.pop(microphone.count)
    shorten(after: played, voice)
    let most = voice.bytes(Self.longestBacklog)
    sendToPhone(AudioSocketFrame(voice.type, played), below: most)
    let clean = voice.exchange(microphone, reference: played)
    sendToApplication(AudioSocketFrame(voice.type, clean), below: most)
  }

  /// Leaves out silence of the application that has sent too much for a while.
  private mutating func shorten(after played: [UInt8], _ voice: CallVoice) {
    let isShortened = backlog.played(
      voice.seconds(played.count), isSilence: PlaybackQueue.isSilence(played),
      waiting: voice.seconds(playback.count), isFull: !readsApplication, at: .now)
    if isShortened, playback.skipSilence(played.count) { counts.shortened += 1 }
  }

  // A side that does not read loses frames while `most` bytes or more wait for it.

  private mutating func sendToPhone(_ frame: AudioSocketFrame, below most: Int) {
    guard phone.waitingBytes < most else { return counts.dropped += 1 }
    phone.send(frame.bytes)
  }

  private mutating func sendToApplication(_ frame: AudioSocketFrame, below most: Int) {
    guard application.waitingBytes < most else { return counts.dropped += 1 }
    application.send(frame.bytes)
  }

  // MARK: From the application

  private mutating func readApplication() {
    var bytes: [UInt8] = []
    let isOpen = application.receive(into: &bytes)
    fromApplication.append(bytes)
    while end == nil, let frame = fromApplication.next() { acceptFromApplication(frame) }
    if !isOpen { stop("the application closed the connection", listens: true) }
  }

  private mutating func acceptFromApplication(_ frame: AudioSocketFrame) {
    switch frame.type {
    case AudioSocketFrame.hangup: stop("the application hung up", listens: true)
    case AudioSocketFrame.identifier: counts.invalid += 1
    case _ where frame.isAudio:
      guard let samples = wholeSamples(frame) else { return }
      // An application may speak before the caller's audio comes, and at a rate of its own.
      guard voice != nil || use(frame.type), let voice, let rate = settings.types[frame.type],
        play(samples, from: rate, to: voice.rate)
      else { return counts.invalid += 1 }
    default: sendToPhone(frame, below: Self.mostWaitingBytes)
    }
  }

  /// Adds audio of the application to what the caller hears. Returns whether it can be converted.
  private mutating func play(_ samples: [UInt8], from source: Int, to target: Int) -> Bool {
    let converted = conversion.convert(CallVoice.samples(samples), from: source, to: target)
    if let converted { playback.append(CallVoice.bytes(of: converted)) }
    return converted != nil
  }

  // MARK: The end

  /// Ends the call once the caller's sound that is on its way has arrived, and what waits to be played has
  /// been heard, if the caller `listens`.
  private mutating func stop(_ reason: String, listens: Bool = false) {
    guard end == nil else { return }
    let waiting = listens ? voice?.seconds(playback.count) ?? 0 : 0
    end = (.now + settings.voice.delay + Self.pause + .seconds(waiting), reason)
  }

  private consuming func finish() {
    voice?.close()
    phone.hangUp()
    application.send(AudioSocketFrame(AudioSocketFrame.hangup).bytes)
    settings.log("call \(name): ended: \(end?.reason ?? "")\(counts.words)")
  }

  private static func text(ofUUID bytes: [UInt8]) -> String {
    let digits = bytes.map { String(format: "%02x", $0) }
    return [digits[0..<4], digits[4..<6], digits[6..<8], digits[8..<10], digits[10..<16]]
      .map { $0.joined() }.joined(separator: "-")
  }
}
