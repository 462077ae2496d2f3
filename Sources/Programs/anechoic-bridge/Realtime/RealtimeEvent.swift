internal import AudioCodecs
internal import AudioCore
internal import Foundation
internal import Operations

/// An event of the Realtime API: an object of JSON with a type.
struct RealtimeEvent {
  let type: String
  var fields: [String: Any]

  /// Returns nil if the message is no such object.
  init?(_ message: WebSocketMessage) {
    guard message.kind == .text,
      let fields = try? JSONSerialization.jsonObject(with: Data(message.bytes)) as? [String: Any],
      let type = fields["type"] as? String
    else { return nil }
    self.type = type
    self.fields = fields
  }

  init(_ type: String, _ fields: [String: Any] = [:]) {
    self.type = type
    self.fields = fields
    self.fields["type"] = type
  }

  var message: WebSocketMessage {
    let data = try? JSONSerialization.data(withJSONObject: fields, options: .withoutEscapingSlashes)
    return WebSocketMessage(.text, Array(data ?? Data()))
  }

  func text(_ name: String) -> String? { fields[name] as? String }
  func object(_ name: String) -> [String: Any]? { fields[name] as? [String: Any] }

  /// Whether the response of an event belongs to the conversation, which has one at a time. Others run
  /// beside it.
  var isOfConversation: Bool { !(object("response")?["conversation_id"] is NSNull) }
}

/// The parts of a session of the Realtime API that the bridge reads, in the shape of the beta or in the
/// present one.
struct RealtimeSession {
  /// The rate of PCM in Hz where neither the session nor an option says otherwise: that of OpenAI.
  static let pcmRate = 24_000

  /// A setting that may be absent.
  enum Setting {
    case absent
    case off
    case on([String: Any])
  }

  private let fields: [String: Any]

  init(_ fields: [String: Any]) { self.fields = fields }

  /// Whether the session has the present shape, with an object `audio`, and not that of the beta.
  var isNested: Bool { fields["audio"] is [String: Any] || fields["type"] is String }

  /// Whether the session only transcribes.
  var isTranscription: Bool { fields["type"] as? String == "transcription" || isBetaTranscription }

  /// Whether the session is one of the beta that only transcribes, with events of other names.
  private var isBetaTranscription: Bool {
    fields["object"] as? String == "realtime.transcription_session" && !isNested
  }

  var id: String? { fields["id"] as? String }

  /// The format of the client's sound, or nil if the session names none. PCM whose rate is not named has
  /// `rate` Hz.
  func inputFormat(pcm rate: Int) -> StatedFormat? {
    Self.format(side("input")?["format"] ?? fields["input_audio_format"], rate)
  }

  /// The format of the answers' sound, or nil if the session names none.
  func outputFormat(pcm rate: Int) -> StatedFormat? {
    Self.format(side("output")?["format"] ?? fields["output_audio_format"], rate)
  }

  /// A format that a session names.
  enum StatedFormat: Equatable {
    case known(WireAudio)
    /// A format that the bridge cannot decode, in words.
    case unknown(String)

    /// The format, or nil for one that the bridge cannot decode.
    var audio: WireAudio? {
      guard case .known(let audio) = self else { return nil }
      return audio
    }
  }

  var turnDetection: Setting {
    guard let value = side("input")?["turn_detection"] ?? fields["turn_detection"] else {
      return .absent
    }
    // Null is none. Some programs say so with a type.
    guard let settings = value as? [String: Any], settings["type"] as? String != "none" else {
      return .off
    }
    return .on(settings)
  }

  /// Returns the session with its turn detection off.
  var withoutTurnDetection: [String: Any] {
    var session = fields
    if session["turn_detection"] != nil { session["turn_detection"] = NSNull() }
    if var audio = session["audio"] as? [String: Any], var input = audio["input"] as? [String: Any],
      input["turn_detection"] != nil
    {
      input["turn_detection"] = NSNull()
      audio["input"] = input
      session["audio"] = audio
    }
    return session
  }

  /// Returns an update of the turn detection alone. `settings` is nil for none.
  func update(turnDetection settings: [String: Any]?) -> RealtimeEvent {
    let value: Any = settings ?? NSNull()
    guard isNested else {
      let name = isBetaTranscription ? "transcription_session.update" : "session.update"
      return RealtimeEvent(name, ["session": ["turn_detection": value]])
    }
    let session: [String: Any] = [
      "type": fields["type"] as? String ?? "realtime",
      "audio": ["input": ["turn_detection": value]],
    ]
    return RealtimeEvent("session.update", ["session": session])
  }

  private func side(_ name: String) -> [String: Any]? {
    (fields["audio"] as? [String: Any])?[name] as? [String: Any]
  }

  private static func format(_ value: Any?, _ pcmRate: Int) -> StatedFormat? {
    let parts = value as? [String: Any]
    guard let name = value as? String ?? parts?["type"] as? String else { return nil }
    // Qwen's name of PCM with 16 bits at 24 kHz.
    let rate = name == "pcm24" ? Self.pcmRate : wholeNumber(parts?["rate"]) ?? pcmRate
    switch name {
    case "pcm16", "audio/pcm", "pcm", "pcm24":
      guard SampleRate(rawValue: rate) != nil else { return .unknown("\(name) at \(rate) Hz") }
      return .known(.pcm16(rate: rate))
    case "g711_ulaw", "audio/pcmu": return .known(.telephone(.muLaw))
    case "g711_alaw", "audio/pcma": return .known(.telephone(.aLaw))
    default: return .unknown(String(name.prefix(40)))
    }
  }
}
