internal import Foundation

/// The layer that a value comes from.
public enum SettingOrigin: Sendable, Equatable, CustomStringConvertible {
  case defaultValue
  /// The file and the line.
  case file(String)
  case environment(_ variable: String)
  case flag(String)

  public var description: String {
    switch self {
    case .defaultValue: "default"
    case .file(let line): line
    case .environment(let variable): variable
    case .flag(let flag): flag
    }
  }
}

/// The text of a value and its place.
public struct SettingsValue: Sendable {
  public var text: String
  /// The place in errors: the line of a file with the key, a variable or a flag.
  public var place: String
  public var origin: SettingOrigin

  /// The value with the user's home folder in place of the `~` of a path, as in `~/voice` and
  /// `fifo:~/voice`.
  var inHome: SettingsValue {
    let start = text.firstIndex(of: ":").map(text.index(after:)) ?? text.startIndex
    let home = [text.startIndex, start].first { text[$0...].hasPrefix("~/") }
    guard let home else { return self }
    var value = self
    value.text.replaceSubrange(home...home, with: Self.home)
    return value
  }

  /// The home folder as the shell knows it, which may be another one than that of the user database.
  private static var home: String {
    ProcessInfo.processInfo.environment["HOME"] ?? NSHomeDirectory()
  }

  public func wrong(_ problem: String) -> SettingsError { SettingsError(place, problem) }

  /// Returns the value as true or false.
  public func boolean() throws(SettingsError) -> Bool {
    switch text.lowercased() {
    case "true", "yes", "on", "1": return true
    case "false", "no", "off", "0": return false
    default: throw wrong("\"\(text)\" must be true or false")
    }
  }

  /// Returns the value as a number in a range.
  public func integer(in range: ClosedRange<Int>) throws(SettingsError) -> Int {
    guard let number = Int(text), range.contains(number) else {
      let allowed =
        range.upperBound == .max
        ? "\(range.lowerBound) or more" : "from \(range.lowerBound) to \(range.upperBound)"
      throw wrong("\"\(text)\" is not a number \(allowed)")
    }
    return number
  }
}
