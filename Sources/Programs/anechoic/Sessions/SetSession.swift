internal import AnechoicAPI
internal import ArgumentParser
internal import CommandLineSupport
internal import Foundation
internal import SwiftProtobuf
internal import VoiceClient

struct SetSession: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Change the configuration and the labels of a running session.",
    discussion: """
      A field is a path in anechoic.v1.SessionConfig, or labels.KEY. A value is written as in proto3 \
      JSON; quotes and the prefix of an enum may be left out. A field without a value returns to its \
      default, and a label without a value is removed.
        anechoic sessions set call-1 preferred_mic_mode=VOICE_ISOLATION
        anechoic sessions set call-1 labels.room=kitchen mute.gesture_policy=ASK
        anechoic sessions set call-1 other_audio_ducking.level=MAX
        anechoic sessions set call-1 voice_processing.noise_suppression.enabled=false
        anechoic sessions set call-1 mute.gesture_decision_timeout=2.5s
        anechoic sessions set call-1 voice_processing.noise_suppression=
      """)

  @Argument(help: "The session: ID or sessions/ID.")
  var name: SessionName

  @Argument(help: ArgumentHelp("A field and its new value.", valueName: "field=value"))
  var fields: [KeyValue]

  @OptionGroup var time: ChangeTime
  @OptionGroup var options: ControlOptions

  func run() async throws {
    var update: SessionUpdate
    do {
      update = try SessionUpdate(fields)
    } catch {
      throw CommandError("\(error)")
    }
    try await options.withClient { client in
      // A mask can name only all labels together, so the unchanged labels must be sent too.
      if update.changesLabels {
        update.keepLabels(of: try await client.get(name.description))
      }
      update.session.name = name.description
      let response = try await client.update(
        update.session, mask: update.mask, atSample: time.atSample)
      try LineFile("-").show(options.json ? response.jsonLine() : response.page)
    }
  }
}

/// A session with the fields that change, and the mask that names them.
struct SessionUpdate {
  var session = Anechoic_V1_Session()
  private(set) var mask: [String] = []
  /// The new values by key. Nil removes the label.
  private var labels: [String: String?] = [:]

  var changesLabels: Bool { !labels.isEmpty }

  init(_ fields: [KeyValue]) throws(FieldError) {
    for field in fields {
      guard field.key != Self.labels else {
        throw FieldError(field: field.key, problem: "the label has no key; use labels.KEY=VALUE")
      }
      if field.key.hasPrefix(Self.labels) {
        labels.updateValue(
          field.value.isEmpty ? nil : field.value,
          forKey: String(field.key.dropFirst(Self.labels.count)))
      } else {
        try set(field)
      }
    }
    if changesLabels { mask.append("labels") }
  }

  /// Adds the labels of a session that this update does not change.
  mutating func keepLabels(of current: Anechoic_V1_Session) {
    session.labels = current.labels
    for (key, value) in labels { session.labels[key] = value }
  }

  private static let labels = "labels."
  private static let config = "config."

  private mutating func set(_ field: KeyValue) throws(FieldError) {
    let path =
      field.key.hasPrefix(Self.config)
      ? String(field.key.dropFirst(Self.config.count)) : field.key
    guard Anechoic_V1_SessionConfig.isPathValid(path) else {
      throw FieldError(
        field: field.key, problem: "this is not a field of anechoic.v1.SessionConfig")
    }
    guard !mask.contains(Self.config + path) else {
      throw FieldError(field: field.key, problem: "the field is set twice")
    }
    mask.append(Self.config + path)
    guard !field.value.isEmpty else { return }
    let candidates = Self.json(of: field.value).compactMap { Self.config(path, $0) }
    guard let part = candidates.first else {
      throw FieldError(field: field.key, problem: Self.problem(of: field.value, at: path))
    }
    do {
      // Protobuf merges the bytes of two messages of the same type field by field.
      try session.config.merge(serializedBytes: part.serializedBytes() as [UInt8])
    } catch {
      throw FieldError(field: field.key, problem: "the value cannot be set: \(error)")
    }
  }

  /// Returns the forms that a value may have in JSON, the most likely one first. The first form
  /// that the field accepts is used.
  private static func json(of value: String) -> [String] {
    let name = value.uppercased().replacing("-", with: "_")
    let texts = [value, name] + enumPrefixes.map { $0 + name }
    return texts.compactMap(quoted) + [value].filter(isJSON)
  }

  /// The prefixes of the enums in a configuration.
  private static let enumPrefixes = [
    "LEVEL_", "MIC_MODE_", "MUTE_GESTURE_POLICY_", "INJECTION_MODE_",
  ]

  /// Returns the reason why the field accepts no form of the value.
  private static func problem(of value: String, at path: String) -> String {
    let object = path.split(separator: ".").reversed().reduce(value as Any) { [String($1): $0] }
    do throws(JSONError) {
      _ = try Anechoic_V1_SessionConfig(jsonObject: object as? [String: Any] ?? [:])
    } catch {
      let quoted = "\"\(value)\""
      return error.problem.hasPrefix(quoted)
        ? error.problem : "\(quoted) is not valid: \(error.problem)"
    }
    return "\"\(value)\" is not valid"
  }

  /// Returns a configuration in which only the field at `path` is set, to a value in JSON.
  private static func config(_ path: String, _ value: String) -> Anechoic_V1_SessionConfig? {
    let json = path.split(separator: ".").reversed().reduce(value) { "{\"\($1)\":\($0)}" }
    return try? Anechoic_V1_SessionConfig(jsonString: json)
  }

  private static func quoted(_ text: String) -> String? {
    (try? JSONEncoder().encode(text)).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func isJSON(_ text: String) -> Bool {
    (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)) != nil
  }
}

/// A field that cannot be set, and the reason.
struct FieldError: Error, CustomStringConvertible {
  let field: String
  let problem: String

  var description: String { "\(field): \(problem)" }
}

/// An argument of the form KEY=VALUE.
struct KeyValue: ExpressibleByArgument {
  let key: String
  let value: String

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else { return nil }
    key = String(parts[0])
    value = String(parts[1])
  }
}
