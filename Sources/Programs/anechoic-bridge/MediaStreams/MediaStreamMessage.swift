internal import AudioCodecs
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

  /// Whether the message has sound that an application wants to be played. Plivo has a name of its own.
  var isSound: Bool { event == "media" || event == "playAudio" }

  /// Whether an application wants its sound that waits not to be played.
  var isClear: Bool { event == "clear" || event == "clearAudio" }

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

  /// The number of the message among all of its stream, those of both tracks, if the provider counts them.
  var sequence: Int? { wholeNumber(fields["sequenceNumber"] ?? fields["sequence_number"]) }

  /// The time of the first sample of media in ms, if the provider says so.
  var timestamp: Int? { wholeNumber(part("media")["timestamp"]) }

  /// The id of the call, or of the stream, that starts.
  var call: String? {
    let start = part("start")
    let names = [start["callSid"], start["call_sid"], start["call_control_id"], start["callId"]]
    return names.lazy.compactMap { $0 as? String }.first ?? stream
  }

  /// The id of the stream.
  var stream: String? {
    [fields, part("start")].lazy.flatMap {
      [$0["streamSid"], $0["stream_sid"], $0["stream_id"], $0["streamId"]]
    }.compactMap { $0 as? String }.first
  }

  /// The line of the call that starts: the parameter `line` of the application, or the account. Empty if
  /// the message names neither.
  var line: String {
    let start = part("start")
    let parameters = (start["customParameters"] ?? start["custom_parameters"]) as? [String: Any]
    let accounts = [start["accountSid"], start["account_sid"], start["accountId"]]
    return parameters?["line"] as? String
      ?? accounts.lazy.compactMap { $0 as? String }.first ?? ""
  }

  /// The format of the media that follow a start: µ-law at 8 kHz unless the start says otherwise. Nil for a
  /// format that cannot be processed.
  var format: WireAudio? {
    switch statedFormat {
    case nil: .telephone(.muLaw)
    case let format as [String: Any]: WireAudio(mediaFormat: format)
    case let name as String: WireAudio(encoding: name)
    default: nil
    }
  }

  /// The name of the format that media of the application name.
  var contentType: String? { part("media")["contentType"] as? String }

  /// The format that media of the application name. Nil if they name none, or one that is not known.
  var ownFormat: WireAudio? {
    contentType.flatMap { WireAudio(encoding: $0, rate: part("media")["sampleRate"]) }
  }

  private var statedFormat: Any? {
    let start = part("start")
    let places = [
      start["mediaFormat"], start["media_format"], fields["mediaFormat"], fields["media_format"],
    ]
    return places.lazy.compactMap { $0 }.first { !($0 is NSNull) }
  }

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
