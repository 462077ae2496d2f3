import AudioCodecs
import Foundation
import Operations
import Testing

@testable import anechoic_bridge

/// The rules of a call with media streams.
struct MediaStreamRelayTests {
  private final class Voices: @unchecked Sendable { var all: [ScriptedVoice] = [] }

  private static func relay(
    _ voices: Voices, _ format: ApplicationFormat = .ofStream, now: ContinuousClock.Instant
  ) -> MediaStreamRelay {
    MediaStreamRelay(
      "call",
      .init(applicationFormat: format) { rate, _ in
        voices.all.append(ScriptedVoice(delay: rate * 120 / 1000))
        return voices.all[voices.all.count - 1]
      }, now: now)
  }

  private static func media(_ code: UInt8, _ track: String = "inbound") -> WebSocketMessage {
    let payload = WireAudio.telephone(.muLaw).text([Int16](repeating: Int16(code), count: 160))
    return WebSocketMessage(
      #"{"event":"media","media":{"track":"\#(track)","payload":"\#(payload)"},"streamSid":"M"}"#)
  }

  /// Returns a relay whose stream has begun.
  private static func begun(
    _ voices: Voices, _ format: ApplicationFormat = .ofStream, now: ContinuousClock.Instant
  ) -> MediaStreamRelay {
    var relay = relay(voices, format, now: now)
    relay.acceptFromClient(start, now: now)
    return relay
  }

  /// Lets so many times 10 ms pass.
  private static func advance(
    _ relay: inout MediaStreamRelay, _ now: inout ContinuousClock.Instant, ticks: Int
  ) {
    for _ in 0..<ticks {
      now += .milliseconds(10)
      relay.advance(now: now)
    }
  }

  private static let start = WebSocketMessage(
    #"{"event":"start","start":{"callSid":"C","mediaFormat":{"encoding":"audio/x-mulaw"}}}"#)

  @Test func theOrderOfTheProviderIsKept() {
    let voices = Voices()
    var now = ContinuousClock.now
    var relay = Self.relay(voices, now: now)
    var events: [String] = []
    relay.acceptFromClient(Self.start, now: now)
    for block in 0..<10 {
      relay.acceptFromClient(Self.media(0), now: now)
      if block == 4 { relay.acceptFromClient(WebSocketMessage(#"{"event":"dtmf"}"#), now: now) }
      for _ in 0..<2 {
        now += .milliseconds(10)
        relay.advance(now: now)
      }
    }
    relay.acceptFromClient(WebSocketMessage(#"{"event":"stop"}"#), now: now)
    #expect(!relay.isDrained)
    Self.advance(&relay, &now, ticks: 10)
    events = relay.outbox.take().toUpstream.compactMap { MediaStreamMessage($0)?.event }
    let media = [String](repeating: "media", count: 5)
    #expect(events == ["start"] + media + ["dtmf"] + media + ["stop"])
    #expect(relay.isDrained)
  }

  /// Lets the caller hear a block from now on.
  private static func hear(_ relay: inout MediaStreamRelay, now: ContinuousClock.Instant) {
    relay.acceptFromClient(media(0), now: now + .milliseconds(20))
    relay.advance(now: now + .milliseconds(20))
  }

  /// Lets the caller hear two blocks, between which a message of the application comes.
  private static func hearTwoBlocks(
    _ relay: inout MediaStreamRelay, now: ContinuousClock.Instant, between message: String
  ) {
    let first = now + .milliseconds(20)
    relay.acceptFromClient(media(0), now: first)
    relay.advance(now: first)
    relay.acceptFromUpstream(WebSocketMessage(message), now: first)
    relay.acceptFromClient(media(0), now: first + .milliseconds(20))
    relay.advance(now: first + .milliseconds(20))
  }

  @Test func theApplicationIsTheReferenceUntilItClears() {
    let voices = Voices()
    let now = ContinuousClock.now
    var relay = Self.begun(voices, now: now)
    for _ in 0..<3 { relay.acceptFromUpstream(Self.media(100), now: now) }
    Self.hearTwoBlocks(&relay, now: now, between: #"{"event":"clear"}"#)
    let reference = voices.all[0].reference
    #expect(reference.count == 320)
    #expect(reference.prefix(160).allSatisfy { abs($0 - 100) <= 4 })
    #expect(reference.suffix(160).allSatisfy { $0 == 0 })
    #expect(relay.outbox.take().toClient.count == 4)
  }

  @Test func theOutboundTrackIsTheReferenceToo() {
    let voices = Voices()
    let now = ContinuousClock.now
    var relay = Self.begun(voices, now: now)
    relay.acceptFromClient(Self.media(100, "outbound"), now: now)
    relay.acceptFromClient(Self.media(0), now: now)
    relay.advance(now: now)
    #expect(voices.all[0].reference.allSatisfy { abs($0 - 100) <= 4 })
  }

  @Test(arguments: [
    #"{"encoding":"audio/opus"}"#, #"{"encoding":"audio/x-mulaw","sampleRate":16000}"#,
    #"{"encoding":"audio/x-l16","sampleRate":12345}"#,
    #"{"encoding":"audio/x-mulaw","channels":2}"#, "5",
  ])
  func otherFormatsPassUnchanged(format: String) {
    let voices = Voices()
    let now = ContinuousClock.now
    var relay = Self.relay(voices, now: now)
    let start = WebSocketMessage(#"{"event":"start","start":{"mediaFormat":\#(format)}}"#)
    relay.acceptFromClient(start, now: now)
    relay.acceptFromClient(Self.media(0), now: now)
    #expect(voices.all.isEmpty)
    #expect(relay.outbox.take().toUpstream == [start, Self.media(0)])
  }

  @Test func theLogNamesAFormatAsItCame() {
    let start = WebSocketMessage(
      #"{"event":"start","start":{"mediaFormat":{"encoding":"audio/opus","channels":1}}}"#)
    #expect(MediaStreamMessage(start)?.formatWords == #"{"channels":1,"encoding":"audio/opus"}"#)
  }

  @Test func linearSoundHasItsRate() {
    let start = WebSocketMessage(
      #"{"event":"start","start":{"mediaFormat":{"encoding":"audio/x-l16","sampleRate":16000}}}"#)
    #expect(MediaStreamMessage(start)?.format == .pcm16(rate: 16_000))
    #expect(MediaStreamMessage(Self.start)?.format == .telephone(.muLaw))
    #expect(MediaStreamMessage(Self.start)?.call == "C")
  }

  /// The formats of Telnyx, Exotel and Voximplant, with the names of their fields.
  @Test(arguments: [
    (
      #""media_format":{"encoding":"PCMA","sample_rate":8000,"channels":1}"#,
      WireAudio.telephone(.aLaw)
    ),
    (#""media_format":{"encoding":"PCMU","sample_rate":8000,"channels":1}"#, .telephone(.muLaw)),
    (#""media_format":{"encoding":"audio/x-raw","sample_rate":"16000"}"#, .pcm16(rate: 16_000)),
    (#""mediaFormat":{"encoding":"PCM16","sampleRate":16000}"#, .pcm16(rate: 16_000)),
    (#""media_format":{"encoding":"base64","sample_rate":"8000"}"#, .pcm16(rate: 8000)),
    (#""media_format":{"encoding":"audio/alaw","sample_rate":"8000"}"#, .telephone(.aLaw)),
    (#""mediaFormat":{"encoding":"audio/x-l16;rate=16000"}"#, .pcm16(rate: 16_000)),
    (#""mediaFormat":{"encoding":"PCMU/8000","sampleRate":null}"#, .telephone(.muLaw)),
    (#""mediaFormat":"audio/x-mulaw""#, .telephone(.muLaw)),
    (#""mediaFormat":null"#, .telephone(.muLaw)),
  ])
  func otherProvidersNameTheirFormatsInOtherWords(format: String, expected: WireAudio) {
    let start = MediaStreamMessage(
      WebSocketMessage(
        #"{"event":"start","start":{"call_sid":"C","custom_parameters":{"line":"L"},\#(format)}}"#
      ))
    #expect(start?.format == expected)
    #expect(start?.call == "C" && start?.line == "L")
  }

  /// The order of the bytes of L16 differs between providers.
  @Test func aFormatInDoubtIsNotProcessed() {
    let start = MediaStreamMessage(
      WebSocketMessage(
        #"{"event":"start","start":{"media_format":{"encoding":"L16","sample_rate":16000}}}"#))
    #expect(start != nil && start?.format == nil)
    #expect(start?.formatWords == #"{"encoding":"L16","sample_rate":16000}"#)
  }

  private static func timed(_ chunk: Int, _ code: UInt8 = 0, at timestamp: Int) -> WebSocketMessage
  {
    let payload = WireAudio.telephone(.muLaw).text([Int16](repeating: Int16(code), count: 160))
    return WebSocketMessage(
      #"{"event":"media","media":{"chunk":"\#(chunk)","timestamp":"\#(timestamp)","payload":"\#(payload)"}}"#
    )
  }

  /// Sends blocks of 20 ms, of which some are lost, while the application's sound counts its blocks.
  /// Returns the reference of each block that came.
  private static func references(losing lost: Set<Int>, of blocks: Int) -> [Int: Int16] {
    let voices = Voices()
    var now = ContinuousClock.now
    var relay = begun(voices, now: now)
    for block in 0..<10 {
      relay.acceptFromClient(timed(block, at: block * 20), now: now)
      now += .milliseconds(20)
      relay.advance(now: now)
    }
    let sound = (0..<blocks).flatMap { [Int16](repeating: Int16($0 * 64), count: 160) }
    let payload = WireAudio.telephone(.muLaw).text(sound)
    relay.acceptFromUpstream(
      WebSocketMessage(#"{"event":"media","media":{"payload":"\#(payload)"}}"#), now: now)
    var references: [Int: Int16] = [:]
    for block in 0..<blocks {
      now += .milliseconds(20)
      if !lost.contains(block) {
        relay.acceptFromClient(timed(10 + block, at: 200 + block * 20), now: now)
      }
      relay.advance(now: now)
      let reference = voices.all[0].reference
      if !lost.contains(block) { references[block] = reference[reference.count - 80] }
    }
    return references
  }

  /// The provider plays on while sound of the caller is lost: 2 blocks, and later 1.2 s.
  @Test func theReferenceStaysInStepWhenSoundOfTheCallerIsLost() {
    let lost = Set([5, 6]).union(20..<80)
    let references = Self.references(losing: lost, of: 120)
    for (block, reference) in references {
      #expect(abs(Int(reference) - block * 64) <= 128, "block \(block)")
    }
    #expect(references.count == 58)
  }

  /// A network that stands still for 0.7 s loses nothing.
  @Test func soundThatWasHeldUpMeetsItsReference() {
    let voices = Voices()
    var now = ContinuousClock.now
    var relay = Self.begun(voices, now: now)
    for block in 0..<10 {
      relay.acceptFromClient(Self.timed(block, at: block * 20), now: now)
      now += .milliseconds(20)
      relay.advance(now: now)
    }
    let sound = (0..<100).flatMap { [Int16](repeating: Int16($0 * 64), count: 160) }
    let payload = WireAudio.telephone(.muLaw).text(sound)
    relay.acceptFromUpstream(
      WebSocketMessage(#"{"event":"media","media":{"payload":"\#(payload)"}}"#), now: now)
    for _ in 0..<35 {
      now += .milliseconds(20)
      relay.advance(now: now)
    }
    for block in 0..<20 {
      relay.acceptFromClient(Self.timed(10 + block, at: 200 + block * 20), now: now)
    }
    relay.advance(now: now)
    // 120 ms of silence followed the sound before, so that it left.
    let reference = voices.all[0].reference.dropFirst(1600 + 960)
    #expect(reference.count == 3200)
    for (place, sample) in reference.enumerated() {
      #expect(abs(Int(sample) - place / 160 * 64) <= 64)
    }
  }

  /// Blocks come in the wrong order, and one comes twice.
  @Test func mediaAreProcessedInTheOrderOfTheirNumbers() {
    let voices = Voices()
    var now = ContinuousClock.now
    var relay = Self.begun(voices, now: now)
    // The first swap tells that the order cannot be trusted. The number 8 never comes.
    for chunk in [0, 1, 3, 2, 4, 6, 5, 5, 7, 9, 11, 10, 12, 13] {
      relay.acceptFromClient(Self.timed(chunk, at: chunk * 20), now: now)
      for _ in 0..<2 {
        now += .milliseconds(10)
        relay.advance(now: now)
      }
    }
    relay.acceptFromClient(WebSocketMessage(#"{"event":"stop"}"#), now: now)
    Self.advance(&relay, &now, ticks: 30)
    let sent = relay.outbox.take().toUpstream.compactMap { MediaStreamMessage($0) }
    #expect(sent.compactMap(\.chunk) == [0, 1, 3, 2, 4, 5, 6, 7, 9, 10, 11, 12, 13])
    #expect(sent.last?.event == "stop")
    #expect(relay.isDrained)
  }

  /// A stream of both tracks has the sound of the application twice.
  @Test func theOutboundTrackTakesThePlaceOfTheApplication() {
    let voices = Voices()
    let now = ContinuousClock.now
    var relay = Self.begun(voices, now: now)
    relay.acceptFromUpstream(Self.media(50), now: now)
    relay.acceptFromClient(Self.media(100, "outbound"), now: now)
    relay.acceptFromUpstream(Self.media(50), now: now)
    relay.acceptFromUpstream(WebSocketMessage(#"{"event":"clear"}"#), now: now)
    for _ in 0..<2 { relay.acceptFromClient(Self.media(0), now: now) }
    relay.advance(now: now)
    let reference = voices.all[0].reference
    #expect(reference.prefix(160).allSatisfy { abs($0 - 100) <= 4 })
    #expect(reference.dropFirst(160).allSatisfy { $0 == 0 })
    #expect(relay.outbox.take().toClient.count == 3)
  }

  /// Some providers send one stream after another over a connection.
  @Test func anotherStreamOfTheConnectionHasItsOwnFormat() {
    let voices = Voices()
    var now = ContinuousClock.now
    var relay = Self.begun(voices, now: now)
    relay.acceptFromClient(Self.media(0), now: now)
    relay.acceptFromClient(WebSocketMessage(#"{"event":"stop"}"#), now: now)
    let format = #"{"encoding":"audio/x-l16","sampleRate":16000}"#
    relay.acceptFromClient(
      WebSocketMessage(#"{"event":"start","start":{"mediaFormat":\#(format)}}"#), now: now)
    #expect(!relay.readsClient && !relay.isDrained)
    Self.advance(&relay, &now, ticks: 30)
    #expect(relay.readsClient)
    let events = relay.outbox.take().toUpstream.compactMap { MediaStreamMessage($0)?.event }
    #expect(events == ["start", "media", "stop", "start"])
    let payload = WireAudio.pcm16(rate: 16_000).text([1, 2, 3])
    relay.acceptFromClient(
      WebSocketMessage(#"{"event":"media","media":{"payload":"\#(payload)"}}"#), now: now)
    relay.advance(now: now + .milliseconds(10))
    #expect(voices.all.count == 2 && voices.all[0].isClosed)
    #expect(voices.all[1].microphone == [1, 2, 3])
  }

  /// The sound of the application is no reference of a stream that is not processed.
  @Test func aSecondStreamThatIsNotProcessedHoldsNothing() {
    let voices = Voices()
    var now = ContinuousClock.now
    var relay = Self.begun(voices, now: now)
    relay.acceptFromClient(WebSocketMessage(#"{"event":"stop"}"#), now: now)
    relay.acceptFromClient(
      WebSocketMessage(#"{"event":"start","start":{"mediaFormat":{"encoding":"L16"}}}"#), now: now)
    Self.advance(&relay, &now, ticks: 30)
    // More than five minutes.
    for _ in 0..<16_000 { relay.acceptFromUpstream(Self.media(50), now: now) }
    #expect(voices.all.count == 1)
    // A third one is processed again, with the application as its reference.
    relay.acceptFromClient(Self.media(100, "outbound"), now: now)
    relay.acceptFromClient(Self.start, now: now)
    relay.acceptFromUpstream(Self.media(50), now: now)
    Self.hear(&relay, now: now)
    #expect(voices.all.count == 2 && voices.all[1].reference.allSatisfy { abs($0 - 50) <= 4 })
  }

  /// The outbound track does not end the patience with media of the caller.
  @Test func mediaOfTheCallerWaitBesideTheOutboundTrack() {
    let voices = Voices()
    var now = ContinuousClock.now
    var relay = Self.begun(voices, now: now)
    for chunk in [0, 1, 3, 2, 4, 6, 5, 7] {
      relay.acceptFromClient(Self.timed(chunk, at: chunk * 20), now: now)
      relay.acceptFromClient(Self.media(100, "outbound"), now: now)
      now += .milliseconds(20)
      relay.advance(now: now)
    }
    relay.acceptFromClient(WebSocketMessage(#"{"event":"stop"}"#), now: now)
    Self.advance(&relay, &now, ticks: 40)
    let sent = relay.outbox.take().toUpstream.compactMap { MediaStreamMessage($0)?.chunk }
    #expect(sent == [0, 1, 3, 2, 4, 5, 6, 7])
  }

  // MARK: Other ways to write media

  private static func event(_ name: String, _ media: String) -> WebSocketMessage {
    WebSocketMessage(#"{"event":"\#(name)","media":\#(media)}"#)
  }

  /// An application for Plivo has its own names, and may send another format than that of the stream.
  @Test(arguments: [
    (#""contentType":"audio/x-mulaw","sampleRate":8000,"#, WireAudio.telephone(.muLaw), 160),
    (#""contentType":"audio/x-l16","sampleRate":"16000","#, .pcm16(rate: 16_000), 320),
    ("", .telephone(.muLaw), 160),
  ])
  func soundThatIsToBePlayedIsTheReference(fields: String, format: WireAudio, count: Int) {
    let voices = Voices()
    let now = ContinuousClock.now
    var relay = Self.begun(voices, now: now)
    let payload = format.text([Int16](repeating: 1000, count: count * 3))
    relay.acceptFromUpstream(
      Self.event("playAudio", #"{\#(fields)"payload":"\#(payload)"}"#), now: now)
    Self.hearTwoBlocks(&relay, now: now, between: #"{"event":"clearAudio"}"#)
    let reference = voices.all[0].reference
    #expect(reference[80..<160].allSatisfy { abs($0 - 1000) <= 40 })
    #expect(reference[160...].allSatisfy { $0 == 0 })
    #expect(relay.outbox.take().toClient.count == 2)
  }

  /// A WAV file of PCM in one channel. Without a rate, there is only its sound.
  private static func wave(_ samples: [Int16], rate: Int?) -> Data {
    func bytes(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let sound = samples.flatMap { bytes(Int($0), 2) }
    guard let rate else { return Data(sound) }
    var file = Array("RIFF----WAVEfmt ".utf8) + bytes(16, 4)
    for (value, count) in [(1, 2), (1, 2), (rate, 4), (2 * rate, 4), (2, 2), (16, 2)] {
      file += bytes(value, count)
    }
    file += Array("LIST".utf8) + bytes(3, 4) + bytes(0, 4)
    file += Array("data".utf8) + bytes(sound.count, 4) + sound
    return Data(file)
  }

  /// Plivo plays files, with their header or without.
  @Test(arguments: [16_000, 8000, nil])
  func aFileThatIsToBePlayedIsTheReference(rate: Int?) {
    let voices = Voices()
    let now = ContinuousClock.now
    var relay = Self.begun(voices, now: now)
    let sound = [Int16](repeating: 1000, count: (rate ?? 16_000) / 50 * 3)
    let payload = Self.wave(sound, rate: rate).base64EncodedString()
    relay.acceptFromUpstream(
      Self.event(
        "playAudio", #"{"contentType":"wav","sampleRate":16000,"payload":"\#(payload)"}"#), now: now
    )
    Self.hearTwoBlocks(&relay, now: now, between: #"{"event":"clearAudio"}"#)
    #expect(voices.all[0].reference[80..<160].allSatisfy { abs($0 - 1000) <= 40 })
    #expect(relay.outbox.take().log.count == 1)
  }

  /// Telnyx can play MP3 in a stream of another format. 0xFF and 0xFB are also quiet sound of µ-law.
  @Test(arguments: [("", true), ("ID3", false), (#""contentType":"audio/mpeg","#, false)])
  func soundThatCannotBeDecodedIsNoReferenceAndTheLogSaysSoOnce(prefix: String, isFrames: Bool) {
    let voices = Voices()
    let now = ContinuousClock.now
    var relay = Self.begun(voices, now: now)
    // MPEG-1, layer III, 64 kbit/s at 48 kHz: 192 bytes.
    let frame = [0xFF, 0xFB, 0x54, 0xC4] + [UInt8](repeating: 0, count: 188)
    let bytes = (isFrames ? [] : Array(prefix.utf8)) + frame + frame
    let field = prefix.hasPrefix("\"") ? prefix : ""
    let payload = Data(bytes).base64EncodedString()
    for _ in 0..<3 {
      relay.acceptFromUpstream(
        Self.event("media", #"{\#(field)"payload":"\#(payload)"}"#), now: now)
    }
    relay.acceptFromUpstream(Self.media(100), now: now)
    Self.hear(&relay, now: now)
    let out = relay.outbox.take()
    let lines = out.log.filter { $0.hasPrefix("no reference: the format ") }
    #expect(lines.count == 1 && out.toClient.count == 4)
    // Only an application that names the format of each sound may have another one beside it.
    let isSilent = voices.all[0].reference.allSatisfy { $0 == 0 }
    #expect(isSilent == field.isEmpty)
  }

  @Test func quietSoundThatLooksLikeTheHeadOfAFrameIsTheReference() {
    let voices = Voices()
    let now = ContinuousClock.now
    var relay = Self.begun(voices, now: now)
    let codes = [0xFF, 0xFB, 0x74, 0x7C] + [UInt8](repeating: 0x80, count: 316)
    let payload = Data(codes).base64EncodedString()
    relay.acceptFromUpstream(Self.event("media", #"{"payload":"\#(payload)"}"#), now: now)
    Self.hear(&relay, now: now)
    #expect(voices.all[0].reference[10..<160].allSatisfy { $0 > 30_000 })
    #expect(relay.outbox.take().log.count == 1)
  }

  /// The application's direction may have a codec of its own, which no message names.
  @Test(arguments: [
    (ApplicationFormat.known(.pcm16(rate: 16_000)), true), (.unused, false), (.ofStream, false),
  ])
  func anOptionNamesTheFormatOfTheApplication(format: ApplicationFormat, isRight: Bool) {
    let voices = Voices()
    let now = ContinuousClock.now
    var relay = Self.begun(voices, format, now: now)
    let sound = [Int16](repeating: 1000, count: 960)
    let payload = WireAudio.pcm16(rate: 16_000).text(sound)
    relay.acceptFromUpstream(Self.event("media", #"{"payload":"\#(payload)"}"#), now: now)
    Self.hear(&relay, now: now)
    let reference = voices.all[0].reference
    #expect(reference[80..<160].allSatisfy { abs($0 - 1000) <= 40 } == isRight)
    if format == .unused { #expect(reference.allSatisfy { $0 == 0 }) }
  }

  @Test func mediaWithoutSoundKeepTheirPlace() {
    let voices = Voices()
    var now = ContinuousClock.now
    var relay = Self.begun(voices, now: now)
    for payload in [#""""#, "null", #""!""#] {
      relay.acceptFromClient(Self.media(0), now: now)
      relay.acceptFromClient(Self.event("media", #"{"payload":\#(payload)}"#), now: now)
    }
    relay.acceptFromClient(WebSocketMessage(#"{"event":"stop"}"#), now: now)
    Self.advance(&relay, &now, ticks: 30)
    let payloads = relay.outbox.take().toUpstream.compactMap { MediaStreamMessage($0)?.payload }
    #expect(payloads.map(\.count) == [216, 0, 216, 216, 1])
  }

  /// A provider that collects a second of sound before it sends it.
  @Test func soundInLongBlocksMeetsItsReference() {
    let voices = Voices()
    var now = ContinuousClock.now
    var relay = Self.begun(voices, now: now)
    let sound = (0..<8).flatMap { second in [Int16](repeating: Int16(second * 1000), count: 8000) }
    let text = WireAudio.telephone(.muLaw).text(sound)
    relay.acceptFromUpstream(Self.event("media", #"{"payload":"\#(text)"}"#), now: now)
    let silence = WireAudio.telephone(.muLaw).text([Int16](repeating: 0, count: 8000))
    for _ in 0..<7 {
      Self.advance(&relay, &now, ticks: 100)
      relay.acceptFromClient(Self.event("media", #"{"payload":"\#(silence)"}"#), now: now)
    }
    Self.advance(&relay, &now, ticks: 60)
    let reference = voices.all[0].reference
    for second in 0..<7 {
      let place = second * 8000 + 4000
      #expect(abs(Int(reference[place]) - second * 1000) <= 250, "second \(second)")
    }
  }

  /// The same start does not begin another stream: the echo path stays, and what waits to be played.
  @Test func aStartThatComesTwiceBeginsOnce() {
    let voices = Voices()
    var now = ContinuousClock.now
    var relay = Self.relay(voices, now: now)
    let start = WebSocketMessage(#"{"event":"start","streamSid":"M","start":{"callSid":"C"}}"#)
    relay.acceptFromClient(start, now: now)
    for _ in 0..<3 { relay.acceptFromUpstream(Self.media(100), now: now) }
    now += .milliseconds(30)
    relay.acceptFromClient(Self.media(0), now: now)
    relay.acceptFromClient(start, now: now)
    #expect(relay.readsClient)
    relay.acceptFromClient(Self.media(0), now: now)
    relay.acceptFromClient(WebSocketMessage(#"{"event":"stop"}"#), now: now)
    Self.advance(&relay, &now, ticks: 30)
    #expect(voices.all.count == 1)
    #expect(voices.all[0].reference.prefix(320).allSatisfy { abs($0 - 100) <= 4 })
    let events = relay.outbox.take().toUpstream.compactMap { MediaStreamMessage($0)?.event }
    #expect(events == ["start", "media", "start", "media", "stop"])
    // The same id after a stop is another stream.
    relay.acceptFromClient(start, now: now)
    Self.advance(&relay, &now, ticks: 30)
    #expect(voices.all.count == 2)
  }

  /// A provider that counts its messages, and not the media of a track.
  @Test func messagesAreOrderedByTheirNumbers() {
    let voices = Voices()
    var now = ContinuousClock.now
    var relay = Self.begun(voices, now: now)
    let text = WireAudio.telephone(.muLaw).text([Int16](repeating: 0, count: 160))
    for number in [2, 3, 5, 4, 6, 8, 7, 9] {
      relay.acceptFromClient(
        WebSocketMessage(
          #"{"event":"media","sequence_number":"\#(number)","media":{"payload":"\#(text)"}}"#),
        now: now)
      Self.advance(&relay, &now, ticks: 2)
    }
    relay.acceptFromClient(WebSocketMessage(#"{"event":"stop"}"#), now: now)
    Self.advance(&relay, &now, ticks: 30)
    let sent = relay.outbox.take().toUpstream.compactMap { MediaStreamMessage($0)?.sequence }
    #expect(sent == [2, 3, 5, 4, 6, 7, 8, 9])
  }
}
