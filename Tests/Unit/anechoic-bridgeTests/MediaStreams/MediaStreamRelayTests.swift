import AudioCodecs
import Operations
import Testing

@testable import anechoic_bridge

/// The rules of a call with media streams.
struct MediaStreamRelayTests {
  private final class Voices: @unchecked Sendable { var all: [ScriptedVoice] = [] }

  private static func relay(_ voices: Voices, now: ContinuousClock.Instant) -> MediaStreamRelay {
    MediaStreamRelay(
      "call",
      .init { rate, _ in
        voices.all.append(ScriptedVoice(delay: rate * 120 / 1000))
        return voices.all[voices.all.count - 1]
      }, now: now)
  }

  private static func media(_ code: UInt8, _ track: String = "inbound") -> WebSocketMessage {
    let payload = WireAudio.telephone(.muLaw).text([Int16](repeating: Int16(code), count: 160))
    return WebSocketMessage(
      #"{"event":"media","media":{"track":"\#(track)","payload":"\#(payload)"},"streamSid":"M"}"#)
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
    for _ in 0..<10 {
      now += .milliseconds(10)
      relay.advance(now: now)
    }
    events = relay.outbox.take().toUpstream.compactMap { MediaStreamMessage($0)?.event }
    let media = [String](repeating: "media", count: 5)
    #expect(events == ["start"] + media + ["dtmf"] + media + ["stop"])
    #expect(relay.isDrained)
  }

  @Test func theApplicationIsTheReferenceUntilItClears() {
    let voices = Voices()
    let now = ContinuousClock.now
    var relay = Self.relay(voices, now: now)
    relay.acceptFromClient(Self.start, now: now)
    for _ in 0..<3 { relay.acceptFromUpstream(Self.media(100), now: now) }
    relay.acceptFromClient(Self.media(0), now: now)
    relay.advance(now: now)
    relay.acceptFromUpstream(WebSocketMessage(#"{"event":"clear"}"#), now: now)
    relay.acceptFromClient(Self.media(0), now: now)
    relay.advance(now: now + .milliseconds(20))
    let reference = voices.all[0].reference
    #expect(reference.count == 320)
    #expect(reference.prefix(160).allSatisfy { abs($0 - 100) <= 4 })
    #expect(reference.suffix(160).allSatisfy { $0 == 0 })
    #expect(relay.outbox.take().toClient.count == 4)
  }

  @Test func theOutboundTrackIsTheReferenceToo() {
    let voices = Voices()
    let now = ContinuousClock.now
    var relay = Self.relay(voices, now: now)
    relay.acceptFromClient(Self.start, now: now)
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
}
