import AudioCodecs
import Foundation
import Operations
import Synchronization
import Testing

@testable import anechoic_bridge

/// The rules of a call with a Realtime API.
struct RealtimeRelayTests {
  /// A call whose voice changes nothing, and a clock.
  private final class Rig {
    private final class Voices: @unchecked Sendable { var all: [ScriptedVoice] = [] }

    var relay: RealtimeRelay
    var now = ContinuousClock.now
    var toUpstream: [[String: Any]] = []
    var toClient: [[String: Any]] = []
    private let voices = Voices()

    var voice: ScriptedVoice? { voices.all.last }

    init(turns: Bool = false, truncates: Bool = true, inputRate: Int = 24_000) {
      let voices = voices
      var settings = RealtimeRelay.Settings { rate, _ in
        voices.all.append(ScriptedVoice(delay: rate * 120 / 1000))
        return voices.all[voices.all.count - 1]
      }
      settings.findsTurns = turns
      settings.truncates = truncates
      settings.inputRate = inputRate
      relay = RealtimeRelay("call", settings, now: now)
    }

    func client(_ type: String, _ fields: [String: Any] = [:]) {
      relay.acceptFromClient(RealtimeEvent(type, fields).message, now: now)
      flush()
    }

    func upstream(_ type: String, _ fields: [String: Any] = [:]) {
      relay.acceptFromUpstream(RealtimeEvent(type, fields).message, now: now)
      flush()
    }

    /// Opens a session in the present shape.
    func open(_ turnDetection: Any = ["type": "server_vad"]) {
      upstream(
        "session.created",
        [
          "session": [
            "id": "sess_1", "type": "realtime",
            "audio": ["input": ["format": ["type": "audio/pcm"], "turn_detection": turnDetection]],
          ]
        ])
    }

    func speak(milliseconds: Int) {
      for _ in 0..<(milliseconds / 20) {
        client("input_audio_buffer.append", ["audio": Rig.sound(milliseconds: 20)])
        run(milliseconds: 20)
      }
    }

    func answer(_ item: String, milliseconds: Int, level: Int16 = 100) {
      upstream(
        "response.output_audio.delta",
        [
          "response_id": "resp_1", "item_id": item, "content_index": 0,
          "delta": Rig.sound(milliseconds: milliseconds, level: level),
        ])
    }

    func run(milliseconds: Int) {
      for _ in 0..<(milliseconds / 10) {
        now += .milliseconds(10)
        relay.advance(now: now)
        flush()
      }
    }

    func change(_ changes: VoiceChange...) {
      voice?.changes += changes
      run(milliseconds: 10)
    }

    static func sound(milliseconds: Int, level: Int16 = 100) -> String {
      WireAudio.pcm16(rate: 24_000).text([Int16](repeating: level, count: milliseconds * 24))
    }

    func sent(_ type: String) -> [[String: Any]] {
      toUpstream.filter { $0["type"] as? String == type }
    }

    private func flush() {
      let out = relay.outbox.take()
      toUpstream += out.toUpstream.compactMap { RealtimeEvent($0)?.fields }
      toClient += out.toClient.compactMap { RealtimeEvent($0)?.fields }
    }
  }

  /// A program that reads bytes from a pipe cuts them anywhere.
  @Test func aSampleMayBeSplitBetweenTwoEvents() {
    let rig = Rig()
    rig.open()
    let samples = (0..<2400).map { Int16($0 * 7) }
    let bytes = samples.map(\.littleEndian).withUnsafeBytes { Array($0) }
    for first in stride(from: 0, to: bytes.count, by: 479) {
      let piece = Data(bytes[first..<min(first + 479, bytes.count)])
      rig.client("input_audio_buffer.append", ["audio": piece.base64EncodedString()])
      rig.run(milliseconds: 10)
    }
    rig.client("input_audio_buffer.commit")
    rig.run(milliseconds: 500)
    let sent = rig.toUpstream.compactMap { $0["audio"] as? String }
      .flatMap { Array(Data(base64Encoded: $0) ?? Data()) }
    #expect(sent == bytes)
  }

  @Test func soundIsSentAsMuchAsCameAndACommitFollowsIt() {
    let rig = Rig()
    rig.open()
    rig.client(
      "input_audio_buffer.append", ["audio": Rig.sound(milliseconds: 20), "event_id": "e"])
    rig.speak(milliseconds: 180)
    rig.client("input_audio_buffer.commit")
    rig.client("response.create")
    rig.run(milliseconds: 500)
    let types = rig.toUpstream.compactMap { $0["type"] as? String }
    #expect(types.suffix(2) == ["input_audio_buffer.commit", "response.create"])
    let sizes = rig.sent("input_audio_buffer.append").map { ($0["audio"] as? String)?.count ?? 0 }
    #expect(sizes == [Int](repeating: Rig.sound(milliseconds: 20).count, count: 10))
    #expect(rig.toUpstream[0]["event_id"] as? String == "e")
  }

  @Test func anInterruptionTruncatesWhatWasNotPlayed() throws {
    let rig = Rig()
    rig.open()
    rig.upstream("response.created", ["response": ["id": "resp_1"]])
    rig.answer("item_1", milliseconds: 2000)
    rig.speak(milliseconds: 400)
    rig.upstream("input_audio_buffer.speech_started")
    let truncation = try #require(rig.sent("conversation.item.truncate").first)
    #expect(truncation["item_id"] as? String == "item_1")
    #expect(truncation["audio_end_ms"] as? Int == 400)
    // The upstream cancels the answer itself.
    #expect(rig.sent("response.cancel").isEmpty)
    #expect(rig.relay.playback.isEmpty)
    // Sound of the answer that is still on its way is not played.
    rig.answer("item_1", milliseconds: 200)
    #expect(rig.relay.playback.isEmpty)
    // The client truncates as well, and the upstream would refuse a second one.
    rig.client("conversation.item.truncate", ["item_id": "item_1", "audio_end_ms": 450])
    #expect(rig.sent("conversation.item.truncate").count == 1)
    rig.client("conversation.item.truncate", ["item_id": "item_1", "audio_end_ms": 350])
    #expect(rig.sent("conversation.item.truncate").count == 2)
  }

  @Test func anUpstreamThatDoesNotInterruptIsNotTruncated() {
    let rig = Rig()
    rig.open(["type": "server_vad", "interrupt_response": false])
    rig.answer("item_1", milliseconds: 1000)
    rig.speak(milliseconds: 100)
    rig.upstream("input_audio_buffer.speech_started")
    #expect(rig.sent("conversation.item.truncate").isEmpty && !rig.relay.playback.isEmpty)
    let other = Rig(truncates: false)
    other.open()
    other.answer("item_1", milliseconds: 1000)
    other.speak(milliseconds: 100)
    other.upstream("input_audio_buffer.speech_started")
    #expect(other.sent("conversation.item.truncate").isEmpty && other.relay.playback.isEmpty)
  }

  @Test func turnsOfAnechoicAreCommittedAndAnswered() throws {
    let rig = Rig(turns: true)
    rig.open()
    rig.speak(milliseconds: 1000)
    #expect(rig.sent("session.update").isEmpty)
    rig.change(.processing(session: "sessions/1"))
    let update = try #require(rig.sent("session.update").first?["session"] as? [String: Any])
    if case .off = RealtimeSession(update).turnDetection {} else { Issue.record("\(update)") }
    let before = rig.sent("input_audio_buffer.append").count
    rig.speak(milliseconds: 1000)
    #expect(rig.sent("input_audio_buffer.append").count == before)
    rig.change(.turnStarted)
    #expect(rig.toClient.last?["type"] as? String == "input_audio_buffer.speech_started")
    let preRoll = try #require(rig.sent("input_audio_buffer.append").last?["audio"] as? String)
    #expect(preRoll.count == Rig.sound(milliseconds: 500).count)
    rig.speak(milliseconds: 400)
    rig.change(.turnEnded)
    let types = rig.toUpstream.suffix(2).compactMap { $0["type"] as? String }
    #expect(types == ["input_audio_buffer.commit", "response.create"])
    #expect(rig.toClient.last?["type"] as? String == "input_audio_buffer.speech_stopped")
  }

  @Test func anInterruptionOfAnechoicCancelsTheAnswer() {
    let rig = Rig(turns: true)
    rig.open()
    rig.speak(milliseconds: 100)
    rig.change(.processing(session: "sessions/1"))
    rig.upstream("response.created", ["response": ["id": "resp_1"]])
    rig.answer("item_1", milliseconds: 2000)
    rig.speak(milliseconds: 400)
    rig.change(.turnStarted)
    #expect(rig.sent("conversation.item.truncate").count == 1)
    #expect(rig.sent("response.cancel").first?["response_id"] as? String == "resp_1")
    // The client's own request would be refused.
    rig.client("response.cancel")
    #expect(rig.sent("response.cancel").count == 1)
    rig.upstream("response.done", ["response": ["id": "resp_1"]])
    rig.client("response.cancel")
    #expect(rig.sent("response.cancel").count == 2)
  }

  @Test func anAnswerThatRunsIsWaitedForIfNothingInterruptsIt() {
    let rig = Rig(turns: true)
    rig.open(["type": "server_vad", "interrupt_response": false])
    rig.speak(milliseconds: 100)
    rig.change(.processing(session: "sessions/1"))
    rig.upstream("response.created", ["response": ["id": "resp_1"]])
    rig.change(.turnStarted)
    rig.speak(milliseconds: 200)
    rig.change(.turnEnded)
    #expect(rig.sent("response.create").isEmpty && rig.sent("response.cancel").isEmpty)
    rig.upstream("response.done", ["response": ["id": "resp_1"]])
    #expect(rig.sent("response.create").count == 1)
  }

  /// Returns a call in the pause of an answer, 0.6 s after its first sentence.
  private static func inPause() -> Rig {
    let rig = Rig(turns: true)
    rig.open()
    rig.speak(milliseconds: 100)
    rig.change(.processing(session: "sessions/1"))
    rig.upstream("response.created", ["response": ["id": "resp_1"]])
    rig.answer("item_1", milliseconds: 400, level: 3000)
    rig.answer("item_1", milliseconds: 2000, level: 0)
    rig.answer("item_1", milliseconds: 2000, level: 3000)
    rig.speak(milliseconds: 1000)
    return rig
  }

  /// "mhm" between two sentences.
  @Test func aShortTurnInAPauseOfTheAnswerInterruptsNothing() {
    let rig = Self.inPause()
    let before = rig.sent("input_audio_buffer.append").count
    rig.change(.turnStarted)
    rig.speak(milliseconds: 300)
    rig.change(.turnPauses)
    rig.speak(milliseconds: 400)
    rig.change(.turnEnded)
    rig.speak(milliseconds: 1000)
    #expect(rig.sent("response.cancel").isEmpty && rig.sent("conversation.item.truncate").isEmpty)
    #expect(rig.sent("input_audio_buffer.commit").isEmpty)
    #expect(rig.sent("input_audio_buffer.append").count == before)
    #expect(
      rig.toClient.allSatisfy { $0["type"] as? String != "input_audio_buffer.speech_started" })
  }

  @Test func aTurnThatGoesOnInAPauseOfTheAnswerInterrupts() throws {
    let rig = Self.inPause()
    rig.change(.turnStarted)
    rig.speak(milliseconds: 400)
    #expect(rig.sent("response.cancel").isEmpty)
    rig.speak(milliseconds: 40)
    #expect(rig.sent("response.cancel").count == 1)
    // Nothing of the voice is missing.
    let preRoll = try #require(rig.sent("input_audio_buffer.append").dropLast(1).last)
    let count = (preRoll["audio"] as? String)?.count ?? 0
    #expect(count >= Rig.sound(milliseconds: 900).count)
    rig.change(.turnEnded)
    #expect(rig.sent("input_audio_buffer.commit").count == 1)
  }

  @Test func anInterruptionOfSoundThatIsHeardWaitsForNothing() {
    let rig = Self.inPause()
    rig.change(.turnStarted, .turnInterrupts)
    #expect(rig.sent("response.cancel").count == 1)
  }

  /// The answer has been heard, but for silence at its end: "yes" is a turn.
  @Test func aTurnAfterTheLastSoundIsNotHeldBack() {
    let rig = Rig(turns: true)
    rig.open()
    rig.speak(milliseconds: 100)
    rig.change(.processing(session: "sessions/1"))
    rig.answer("item_1", milliseconds: 400, level: 3000)
    rig.answer("item_1", milliseconds: 2000, level: 0)
    rig.speak(milliseconds: 600)
    rig.change(.turnStarted, .turnEnded)
    #expect(rig.sent("input_audio_buffer.commit").count == 1)
  }

  @Test func aTurnThatWasNoSpeechIsCleared() {
    let rig = Rig(turns: true)
    rig.open()
    rig.speak(milliseconds: 100)
    rig.change(.processing(session: "sessions/1"), .turnStarted)
    rig.change(.turnWithdrawn)
    #expect(rig.toUpstream.last?["type"] as? String == "input_audio_buffer.clear")
    #expect(rig.sent("input_audio_buffer.commit").isEmpty)
  }

  @Test func soundThatTheClientClearsDoesNotComeWithTheNextTurn() {
    let rig = Rig(turns: true)
    rig.open()
    rig.speak(milliseconds: 100)
    rig.change(.processing(session: "sessions/1"))
    rig.speak(milliseconds: 600)
    rig.client("input_audio_buffer.clear")
    rig.speak(milliseconds: 300)
    #expect(rig.sent("input_audio_buffer.clear").count == 1)
    let before = rig.sent("input_audio_buffer.append").count
    rig.change(.turnStarted)
    let preRoll = rig.sent("input_audio_buffer.append").dropFirst(before)
    let count = preRoll.reduce(0) { $0 + (($1["audio"] as? String)?.count ?? 0) }
    #expect(count > 0 && count <= Rig.sound(milliseconds: 300).count)
  }

  @Test func theUpstreamFindsTurnsAgainWhenTheServerIsLost() throws {
    let rig = Rig(turns: true)
    rig.open()
    rig.speak(milliseconds: 100)
    rig.change(.processing(session: "sessions/1"))
    rig.change(.fallback(reason: "lost"))
    let update = try #require(rig.sent("session.update").last?["session"] as? [String: Any])
    guard case .on(let settings) = RealtimeSession(update).turnDetection else {
      Issue.record("\(update)")
      return
    }
    #expect(settings["type"] as? String == "server_vad")
    let before = rig.sent("input_audio_buffer.append").count
    rig.speak(milliseconds: 400)
    #expect(rig.sent("input_audio_buffer.append").count > before + 10)
  }

  @Test func theTurnDetectionOfAClientIsKeptForLater() throws {
    let rig = Rig(turns: true)
    rig.open()
    rig.speak(milliseconds: 100)
    rig.change(.processing(session: "sessions/1"))
    let wanted: [String: Any] = ["type": "semantic_vad"]
    rig.client(
      "session.update",
      ["session": ["type": "realtime", "audio": ["input": ["turn_detection": wanted]], "x": 1]])
    rig.run(milliseconds: 400)
    let update = try #require(rig.sent("session.update").last?["session"] as? [String: Any])
    if case .off = RealtimeSession(update).turnDetection {} else { Issue.record("\(update)") }
    #expect(update["x"] as? Int == 1)
    rig.change(.fallback(reason: "lost"))
    let returned = try #require(rig.sent("session.update").last?["session"] as? [String: Any])
    guard case .on(let settings) = RealtimeSession(returned).turnDetection else {
      Issue.record("\(returned)")
      return
    }
    #expect(settings["type"] as? String == "semantic_vad")
  }

  @Test func errorsOfTheBridgesOwnEventsDoNotReachTheClient() {
    let rig = Rig()
    rig.open()
    rig.answer("item_1", milliseconds: 1000)
    rig.upstream("input_audio_buffer.speech_started")
    let id = rig.sent("conversation.item.truncate").first?["event_id"] as? String ?? ""
    let count = rig.toClient.count
    rig.upstream("error", ["error": ["event_id": id, "message": "no"]])
    #expect(rig.toClient.count == count)
    rig.upstream("error", ["error": ["event_id": "mine"]])
    #expect(rig.toClient.count == count + 1)
  }

  @Test func aChangeOfTheFormatFollowsTheSoundBefore() {
    let rig = Rig()
    rig.upstream("session.created", ["session": ["input_audio_format": "pcm16"]])
    rig.speak(milliseconds: 100)
    rig.client("session.update", ["session": ["input_audio_format": "g711_ulaw"]])
    #expect(!rig.relay.readsClient)
    rig.run(milliseconds: 300)
    #expect(rig.relay.readsClient)
    #expect(rig.toUpstream.last?["type"] as? String == "session.update")
    #expect(rig.sent("input_audio_buffer.append").count == 5)
    let codes = Data([UInt8](repeating: 0xFF, count: 160)).base64EncodedString()
    rig.client("input_audio_buffer.append", ["audio": codes])
    rig.run(milliseconds: 700)
    #expect(rig.toUpstream.last?["audio"] as? String == codes)
  }

  @Test func updatesPassByteForByte() {
    let rig = Rig()
    rig.open()
    rig.speak(milliseconds: 100)
    let text = #"{"type":"session.update", "session":{"type":"realtime","x":1.50}}"#
    rig.relay.acceptFromClient(WebSocketMessage(text), now: rig.now)
    var sent: [WebSocketMessage] = []
    for _ in 0..<40 {
      rig.now += .milliseconds(10)
      rig.relay.advance(now: rig.now)
      sent += rig.relay.outbox.take().toUpstream
    }
    #expect(sent.last == WebSocketMessage(text))
  }

  @Test func aFloodOfEventsBehindSoundIsHeldBack() {
    let rig = Rig()
    rig.open()
    rig.speak(milliseconds: 100)
    let padding = String(repeating: "x", count: 300_000)
    for _ in 0..<4 { rig.client("session.update", ["session": ["x": padding]]) }
    #expect(!rig.relay.readsClient)
    rig.run(milliseconds: 500)
    #expect(rig.relay.readsClient && rig.sent("session.update").count == 4)
  }

  @Test func aTruncationOfAnItemThatIsNotPlayedStopsNothing() {
    let rig = Rig()
    rig.open()
    rig.answer("item_2", milliseconds: 1000)
    rig.client("conversation.item.truncate", ["item_id": "item_1", "audio_end_ms": 10])
    #expect(rig.relay.playback.plays("item_2"))
    rig.client("conversation.item.truncate", ["item_id": "item_2", "audio_end_ms": 10])
    #expect(rig.relay.playback.isEmpty)
  }

  @Test func wordsThatAreWrongPassUnchanged() {
    let rig = Rig()
    for text in [
      "", "[]", "{}", #"{"type":3}"#, #"{"type":"input_audio_buffer.append"}"#,
      #"{"type":"input_audio_buffer.append","audio":"%"}"#,
      #"{"type":"session.update","session":[]}"#,
      #"{"type":"conversation.item.truncate","audio_end_ms":"x"}"#,
    ] {
      rig.relay.acceptFromClient(WebSocketMessage(text), now: rig.now)
      rig.relay.acceptFromUpstream(WebSocketMessage(text), now: rig.now)
      let out = rig.relay.outbox.take()
      #expect(out.toClient == [WebSocketMessage(text)])
      #expect(out.toUpstream.count == 1)
    }
    let binary = WebSocketMessage(.binary, [1, 2])
    rig.relay.acceptFromClient(binary, now: rig.now)
    #expect(rig.relay.outbox.take().toUpstream == [binary])
  }

  /// A response beside the conversation, such as one that classifies it, neither takes the place of the
  /// answer that runs nor ends it.
  @Test func aResponseBesideTheConversationChangesNothing() {
    let rig = Rig(turns: true)
    rig.open()
    rig.speak(milliseconds: 100)
    rig.change(.processing(session: "sessions/1"))
    rig.upstream("response.created", ["response": ["id": "resp_1", "conversation_id": "conv_1"]])
    let beside: [String: Any] = ["id": "resp_2", "conversation_id": NSNull()]
    rig.upstream("response.created", ["response": beside])
    rig.answer("item_1", milliseconds: 2000)
    rig.upstream("response.done", ["response": beside])
    rig.speak(milliseconds: 400)
    rig.change(.turnStarted)
    #expect(rig.sent("response.cancel").map { $0["response_id"] as? String } == ["resp_1"])
    rig.answer("item_1", milliseconds: 200)
    #expect(rig.relay.playback.isEmpty)
  }

  /// The program has asked for an answer itself, which the bridge does not know yet.
  @Test func anAnswerThatIsRefusedWhileAnotherRunsIsAskedForAgain() {
    let rig = Rig(turns: true)
    rig.open()
    rig.speak(milliseconds: 100)
    rig.change(.processing(session: "sessions/1"), .turnStarted)
    rig.speak(milliseconds: 200)
    rig.change(.turnEnded)
    let id = rig.sent("response.create").first?["event_id"] as? String ?? ""
    let code = "conversation_already_has_active_response"
    rig.upstream("error", ["error": ["event_id": id, "code": code]])
    #expect(rig.sent("response.create").count == 1)
    for _ in 0..<2 { rig.upstream("response.done", ["response": ["id": "resp_0"]]) }
    #expect(rig.sent("response.create").count == 2)
  }

  /// Some programs say a type in the place of null.
  @Test func aProgramThatWantsNoTurnsByTypeGetsNone() {
    let rig = Rig(turns: true)
    rig.open()
    let none: [String: Any] = ["turn_detection": ["type": "none"]]
    rig.client("session.update", ["session": ["audio": ["input": none]]])
    rig.speak(milliseconds: 100)
    rig.change(.processing(session: "sessions/1"), .turnStarted)
    #expect(rig.relay.turns.finder == .upstream)
    #expect(rig.sent("session.update").count == 1)
    #expect(
      rig.toClient.allSatisfy { $0["type"] as? String != "input_audio_buffer.speech_started" })
  }

  /// OpenAI has 24 kHz only. Other upstreams of the API have 16 kHz and more, by the same field.
  @Test func aSessionMayHaveAnotherRateOfPCM() {
    let rig = Rig()
    let pcm: [String: Any] = ["type": "audio/pcm", "rate": 16_000]
    rig.open()
    rig.client("session.update", ["session": ["audio": ["input": ["format": pcm]]]])
    #expect(rig.sent("session.update").count == 1)
    // The upstream does not say which format it uses now.
    rig.client("session.update", ["session": ["audio": ["output": ["format": pcm]]]])
    rig.upstream("session.updated", ["session": ["id": "sess_1", "type": "realtime"]])
    rig.answer("item_1", milliseconds: 240)
    rig.speak(milliseconds: 240)
    rig.run(milliseconds: 500)
    // 240 ms of the rig's 24 kHz are 360 ms at 16 kHz.
    #expect(rig.relay.input == .pcm16(rate: 16_000))
    #expect(rig.relay.playback.rate == 16_000)
    #expect(rig.voice?.reference[320..<5760].allSatisfy { $0 == 100 } == true)
    #expect(abs(rig.relay.turns.sentSeconds - 0.36) < 0.001)
  }

  @Test func aSessionMayBeginWithAnotherRateOfPCM() {
    let rig = Rig()
    let format: [String: Any] = ["format": ["type": "audio/pcm", "rate": 16_000]]
    rig.upstream(
      "session.created",
      ["session": ["type": "transcription", "audio": ["input": format, "output": format]]])
    rig.speak(milliseconds: 20)
    #expect(rig.relay.input == .pcm16(rate: 16_000))
  }

  /// The beta has events of their own for sessions that only transcribe.
  @Test func transcriptionSessionsOfTheBetaHaveTheirFormat() {
    let rig = Rig(turns: true)
    let session: [String: Any] = [
      "object": "realtime.transcription_session", "id": "sess_1",
      "input_audio_format": "pcm16", "turn_detection": ["type": "server_vad"],
    ]
    rig.upstream("transcription_session.created", ["session": session])
    rig.client(
      "transcription_session.update", ["session": ["input_audio_format": "g711_alaw"]])
    #expect(rig.relay.input == .telephone(.aLaw))
    #expect(rig.relay.session.isTranscription)
    rig.client("input_audio_buffer.append", ["audio": WireAudio.telephone(.aLaw).text([0, 0])])
    rig.run(milliseconds: 20)
    rig.change(.processing(session: "sessions/1"))
    let updates = rig.sent("transcription_session.update")
    #expect(updates.count == 2 && rig.sent("session.update").isEmpty)
    #expect((updates.last?["session"] as? [String: Any])?["turn_detection"] is NSNull)
  }

  /// A client need not wait for the description of the session.
  @Test func anUpdateBeforeTheSessionIsDescribedCounts() {
    let rig = Rig()
    rig.client("session.update", ["session": ["input_audio_format": "g711_ulaw"]])
    rig.open()
    rig.client("input_audio_buffer.append", ["audio": WireAudio.telephone(.muLaw).text([0, 0])])
    rig.run(milliseconds: 20)
    #expect(rig.relay.input == .telephone(.muLaw))
    #expect(rig.voice?.microphone.prefix(2) == [0, 0])
  }

  /// Qwen-Omni-Realtime has 16 kHz for clients and 24 kHz for answers, and names neither.
  @Test func anOptionSaysTheRateOfPCMThatHasNone() {
    let rig = Rig(inputRate: 16_000)
    rig.upstream(
      "session.created",
      ["session": ["input_audio_format": "pcm16", "output_audio_format": "pcm24"]])
    rig.answer("item_1", milliseconds: 240)
    rig.speak(milliseconds: 160)
    #expect(rig.relay.input == .pcm16(rate: 16_000))
    // 160 ms of the rig's 24 kHz are 240 ms at 16 kHz.
    let reference = rig.voice?.reference ?? []
    #expect(reference.count == 3840 && reference[1000..<3000].allSatisfy { abs($0 - 100) <= 4 })
  }

  @Test(
    arguments: [["type": "audio/opus"], ["type": "audio/pcm", "rate": 22_050]]
      as [[String: any Sendable]])
  func soundOfAFormatThatIsNotSupportedPasses(format: [String: any Sendable]) {
    let rig = Rig()
    rig.open()
    rig.speak(milliseconds: 40)
    let formats: [String: Any] = ["input": ["format": format], "output": ["format": format]]
    rig.client("session.update", ["session": ["audio": formats]])
    rig.run(milliseconds: 500)
    rig.upstream("session.updated", ["session": ["type": "realtime", "audio": formats]])
    rig.client("input_audio_buffer.append", ["audio": "AAECAwQF"])
    rig.answer("item_1", milliseconds: 240)
    #expect(rig.sent("input_audio_buffer.append").last?["audio"] as? String == "AAECAwQF")
    #expect(rig.relay.playback.isEmpty)
    // A format that is supported is processed again.
    rig.client("session.update", ["session": ["input_audio_format": "pcm16"]])
    rig.speak(milliseconds: 40)
    #expect(rig.voice?.isClosed == false && rig.relay.line != nil)
  }

  /// A client that cancels an answer plays no more of it before the next one.
  @Test(arguments: [true, false])
  func theNextAnswerDoesNotWaitForACancelledOne(byClient: Bool) {
    let rig = Rig()
    rig.open()
    rig.upstream("response.created", ["response": ["id": "resp_1"]])
    rig.answer("a", milliseconds: 5000)
    rig.speak(milliseconds: 100)
    if byClient { rig.client("response.cancel") }
    let status = byClient ? "completed" : "cancelled"
    rig.upstream("response.done", ["response": ["id": "resp_1", "status": status]])
    rig.speak(milliseconds: 100)
    #expect(rig.relay.playback.seconds > 4.5)
    rig.upstream("response.created", ["response": ["id": "resp_2"]])
    #expect(rig.relay.playback.isEmpty)
    rig.answer("b", milliseconds: 1000)
    rig.upstream("response.done", ["response": ["id": "resp_2", "status": "completed"]])
    rig.upstream("response.created", ["response": ["id": "resp_3"]])
    #expect(rig.relay.playback.seconds > 0.9)
  }
}
