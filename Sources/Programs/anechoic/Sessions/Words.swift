internal import AnechoicAPI
internal import AudioCore
internal import Foundation
internal import SwiftProtobuf

/// Values in words, for people.
enum Words {
  /// Returns the name of a case in words: "voice isolation" for `voiceIsolation`.
  static func of(_ value: some Enum) -> String {
    "\(value)".reduce(into: "") { words, character in
      if character.isUppercase, words.last?.isUppercase == false { words.append(" ") }
      words.append(contentsOf: character.lowercased())
    }
  }

  static func of(_ isOn: Bool) -> String { isOn ? "on" : "off" }

  static func of(_ labels: [String: String]) -> String {
    labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
  }

  /// Returns a local time, to the millisecond.
  static func time(_ time: Google_Protobuf_Timestamp) -> String {
    clock("HH:mm:ss.SSS", time)
  }

  static func date(_ time: Google_Protobuf_Timestamp) -> String {
    clock("yyyy-MM-dd HH:mm:ss", time)
  }

  static func decibels(_ level: Float) -> String { String(format: "%.1f dB", level) }

  static func level(_ level: Float) -> String { String(format: "%.1f dBFS", level) }

  static func seconds(_ duration: Google_Protobuf_Duration) -> String {
    String(format: "%.2f s", duration.timeInterval)
  }

  private static func clock(_ format: String, _ time: Google_Protobuf_Timestamp) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.dateFormat = format
    return formatter.string(from: time.date)
  }
}
