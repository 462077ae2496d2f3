internal import AnechoicAPI
internal import Foundation
internal import SwiftProtobuf

/// A session with some fields set, and the mask that names them.
struct SessionUpdate {
  var session = Anechoic_V1_Session()
  private(set) var mask: [String] = []
  /// By key; nil takes a label away.
  private var labels: [String: String?] = [:]

  var changesLabels: Bool { !labels.isEmpty }

  init(_ fields: [KeyValue]) throws(FieldProblem) {
    for field in fields {
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

  /// Adds the labels that a session has and this update does not change.
  mutating func keepLabels(of current: Anechoic_V1_Session) {
    session.labels = current.labels
    for (key, value) in labels { session.labels[key] = value }
  }

  private static let labels = "labels."
  private static let config = "config."

  private mutating func set(_ field: KeyValue) throws(FieldProblem) {
    let path =
      field.key.hasPrefix(Self.config)
      ? String(field.key.dropFirst(Self.config.count)) : field.key
    guard Anechoic_V1_SessionConfig.isPathValid(path) else {
      throw FieldProblem(field: field.key, problem: "is no field of a session's configuration")
    }
    guard !mask.contains(Self.config + path) else {
      throw FieldProblem(field: field.key, problem: "is set twice")
    }
    mask.append(Self.config + path)
    guard !field.value.isEmpty else { return }
    let candidates = Self.json(of: field.value).compactMap { Self.config(path, $0) }
    guard let part = candidates.first else {
      throw FieldProblem(field: field.key, problem: "cannot be \"\(field.value)\"")
    }
    do {
      // Bytes of the same message merge, field by field.
      try session.config.merge(serializedBytes: part.serializedBytes() as [UInt8])
    } catch {
      throw FieldProblem(field: field.key, problem: "cannot be set: \(error)")
    }
  }

  /// What a value may mean in JSON, the likeliest first; the first that its field takes counts.
  private static func json(of value: String) -> [String] {
    let name = value.uppercased().replacing("-", with: "_")
    let texts = [value, name] + enumPrefixes.map { $0 + name }
    return texts.compactMap(quoted) + [value].filter(isJSON)
  }

  /// Of the enums that a configuration has.
  private static let enumPrefixes = [
    "LEVEL_", "MIC_MODE_", "MUTE_GESTURE_POLICY_", "INJECTION_MODE_",
  ]

  /// The configuration that has nothing but one value, given as JSON, in one place.
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

/// A field that cannot be set as it was asked for.
struct FieldProblem: Error, CustomStringConvertible {
  let field: String
  let problem: String

  var description: String { "\(field): \(problem)" }
}
