internal import Foundation
public import Logging

/// The form of the lines of the log.
public enum LogFormat: String, Sendable, CaseIterable {
  case text
  case json
}

/// One line of a log. Times are UTC with milliseconds.
public struct LogLine: Sendable {
  /// The time since 1970, by the wall clock.
  var time: Duration
  var level: Logger.Level
  var message: String
  /// The keys and values in the order of the line. Nested values are written as text.
  var fields: [(key: String, value: String)]
  /// Whether the line reports a control action.
  var isAudit = false

  public init(
    time: Duration = .now, level: Logger.Level, message: String,
    fields: [(key: String, value: String)] = [], isAudit: Bool = false
  ) {
    self.time = time
    self.level = level
    self.message = message
    self.fields = fields
    self.isAudit = isAudit
  }

  /// Returns the line with a newline at its end, which is the only one.
  ///
  /// - Parameter forJournal: Whether the line begins with its priority, which the journal of systemd
  ///   removes: `<3>` for an error.
  public func text(_ format: LogFormat, forJournal: Bool = false) -> String {
    let line = format == .json ? json : plain
    return forJournal ? level.journalPriority + line : line
  }

  private var plain: String {
    var line = "\(timestamp) \(level.rawValue) \(message.withoutControls)"
    if isAudit { line += " audit=true" }
    for (key, value) in fields { line += " \(key)=\(value.quotedIfNeeded)" }
    return line + "\n"
  }

  private var json: String {
    var line = "{\"time\":\"\(timestamp)\",\"level\":\"\(level.rawValue)\""
    line += ",\"message\":\(message.quoted)"
    if isAudit { line += ",\"audit\":true" }
    for (key, value) in fields { line += ",\(key.quoted):\(value.quoted)" }
    return line + "}\n"
  }

  private var timestamp: String {
    let (seconds, attoseconds) = time.components
    var clock = time_t(seconds)
    var parts = tm()
    gmtime_r(&clock, &parts)
    let date = [parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday].map(Self.padded)
    let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(Self.padded)
    let milliseconds = 1000 + attoseconds / 1_000_000_000_000_000
    return date.joined(separator: "-") + "T" + time.joined(separator: ":")
      + ".\(String(milliseconds).dropFirst())Z"
  }

  private static func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Logger.Level {
  /// The beginning of a line for the journal of systemd, as sd-daemon(3) describes it.
  public var journalPriority: String {
    switch self {
    case .critical: "<2>"
    case .error: "<3>"
    case .warning: "<4>"
    case .notice: "<5>"
    case .info: "<6>"
    case .debug, .trace: "<7>"
    }
  }
}

extension Duration {
  /// The time since 1970 by the wall clock.
  public static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}

extension String {
  /// The text in quotation marks, as JSON writes it. Characters that change how a terminal shows the
  /// rest of the line are escaped too.
  var quoted: String { "\"\(escaped(quotes: true))\"" }

  /// The text without characters that control a terminal or end a line.
  var withoutControls: String { escaped(quotes: false) }

  /// The text, in quotation marks if it is empty or has spaces or characters that must be escaped.
  var quotedIfNeeded: String {
    let isPlain = !isEmpty && !contains { $0 == " " || $0 == "=" } && escaped(quotes: true) == self
    return isPlain ? self : quoted
  }

  private func escaped(quotes: Bool) -> String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"" where quotes: text += "\\\""
      case "\\" where quotes: text += "\\\\"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case _ where scalar.isInvisible:
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

extension Unicode.Scalar {
  fileprivate var isInvisible: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
      .unassigned:
      true
    default: false
    }
  }
}
