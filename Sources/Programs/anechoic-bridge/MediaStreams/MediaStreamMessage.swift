internal import AudioCodecs
internal import AudioCore
internal import Foundation
internal import Operations

/// A message of a media stream: an object of JSON with the name of an event.
///
/// Source: the documentation of Twilio's Media Streams. Other providers send the same messages, with names
/// such as `media_format` for `mediaFormat`.
struct MediaStreamMessage {
  let event: String
  private var fields: [String: Any]
  /// The message as it came, until it changes.
  private var original: WebSocketMessage?

  /// Returns nil if the message is no such object.
  init?(_ message: WebSocketMessage) {
    guard message.kind == .text,
      let fields = try? JSONSerialization.jsonObject(with: Data(message.bytes)) as? [String: Any],
      let event = fields["event"] as? String
    else { return nil }
    self.event = event
    self.fields = fields
    original = message
  }

  var message: WebSocketMessage {
    if let original { return original }
    let data = try? JSONSerialization.data(withJSONObject: fields, options: .withoutEscapingSlashes)
    return WebSocketMessage(.text, Array(data ?? Data()))
  }

  /// Whether media is the sound that the caller hears, and not the caller's.
  var isOutbound: Bool { part("media")["track"] as? String == "outbound" }

  /// The sound of media in base64.
  var payload: String? {
    get { part("media")["payload"] as? String }
    set {
      var media = part("media")
      media["payload"] = newValue
      fields["media"] = media
      original = nil
    }
  }

  /// The number of bytes of the message as it came.
  var byteCount: Int { original?.bytes.count ?? 0 }

  /// The number of media in their track, if the provider counts them.
  var chunk: Int? { wholeNumber(part("media")["chunk"]) }

  /// The time of the first sample of media in ms, if the provider says so.
  var timestamp: Int? { wholeNumber(part("media")["timestamp"]) }

  /// The id of the call, or of the stream, that starts.
  var call: String? {
    let start = part("start")
    let names = [start["callSid"], start["call_sid"], start["call_control_id"]]
    let streams = [fields["streamSid"], fields["stream_sid"], fields["stream_id"]]
    return (names + streams).lazy.compactMap { $0 as? String }.first
  }

  /// The line of the call that starts: the parameter `line` of the application, or the account. Empty if
  /// the message names neither.
  var line: String {
    let start = part("start")
    let parameters = (start["customParameters"] ?? start["custom_parameters"]) as? [String: Any]
    return parameters?["line"] as? String ?? start["accountSid"] as? String
      ?? start["account_sid"] as? String ?? ""
  }

  /// The format of the media that follow a start: µ-law at 8 kHz unless the start says otherwise. Nil for a
  /// format that cannot be processed.
  var format: WireAudio? {
    guard let stated = statedFormat else { return .telephone(.muLaw) }
    guard let format = stated as? [String: Any] else { return nil }
    guard wholeNumber(format["channels"] ?? 1) == 1 else { return nil }
    let rate = wholeNumber(format["sampleRate"] ?? format["sample_rate"] ?? 8000)
    switch (format["encoding"] as? String)?.lowercased() {
    case "audio/x-mulaw" where rate == 8000, "pcmu" where rate == 8000:
      return .telephone(.muLaw)
    case "audio/x-alaw" where rate == 8000, "pcma" where rate == 8000:
      return .telephone(.aLaw)
    // "L16", as RTP names it, has the other order of bytes, or not: providers differ.
    case "audio/x-l16", "audio/x-raw", "pcm16":
      return rate.flatMap(SampleRate.init(rawValue:)).map { .pcm16(rate: $0.hertz) }
    default: return nil
    }
  }

  private var statedFormat: Any? { part("start")["mediaFormat"] ?? part("start")["media_format"] }

  /// The format of a start in words: an object as JSON.
  var formatWords: String {
    let stated = statedFormat ?? "none"
    let options: JSONSerialization.WritingOptions = [
      .fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes,
    ]
    guard let data = try? JSONSerialization.data(withJSONObject: stated, options: options) else {
      return "unknown"
    }
    return String(decoding: data.prefix(200), as: UTF8.self)
  }

  private func part(_ name: String) -> [String: Any] { fields[name] as? [String: Any] ?? [:] }
}
