internal import AudioCodecs
internal import AudioCore
internal import Foundation
internal import Operations

/// A message of a media stream: an object of JSON with the name of an event.
///
/// Source: the documentation of Twilio's Media Streams.
struct MediaStreamMessage {
  let event: String
  private var fields: [String: Any]

  /// Returns nil if the message is no such object.
  init?(_ message: WebSocketMessage) {
    guard message.kind == .text,
      let fields = try? JSONSerialization.jsonObject(with: Data(message.bytes)) as? [String: Any],
      let event = fields["event"] as? String
    else { return nil }
    self.event = event
    self.fields = fields
  }

  var message: WebSocketMessage {
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
    }
  }

  /// The id of the call, or of the stream, that starts.
  var call: String? { part("start")["callSid"] as? String ?? fields["streamSid"] as? String }

  /// The line of the call that starts: the parameter `line` of the application, or the account. Empty if
  /// the message names neither.
  var line: String {
    let parameters = part("start")["customParameters"] as? [String: Any]
    return parameters?["line"] as? String ?? part("start")["accountSid"] as? String ?? ""
  }

  /// The format of the media that follow a start: µ-law at 8 kHz unless the start says otherwise. Nil for a
  /// format that cannot be processed.
  var format: WireAudio? {
    guard let stated = part("start")["mediaFormat"] else { return .telephone(.muLaw) }
    guard let format = stated as? [String: Any] else { return nil }
    guard format["channels"] as? Int ?? 1 == 1 else { return nil }
    let rate = format["sampleRate"] as? Int ?? 8000
    switch format["encoding"] as? String {
    case "audio/x-mulaw" where rate == 8000: return .telephone(.muLaw)
    case "audio/x-alaw" where rate == 8000: return .telephone(.aLaw)
    case "audio/x-l16": return SampleRate(rawValue: rate).map { .pcm16(rate: $0.hertz) }
    default: return nil
    }
  }

  /// The format of a start in words: an object as JSON.
  var formatWords: String {
    let stated = part("start")["mediaFormat"] ?? "none"
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
