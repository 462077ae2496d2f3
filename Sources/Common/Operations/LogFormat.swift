/// The form of the lines of the log.
public enum LogFormat: String, Sendable, CaseIterable {
  case text
  case json
}
