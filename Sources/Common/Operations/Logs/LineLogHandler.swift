public import Logging
internal import Synchronization

/// The lowest level of the lines that a log contains. It may change at any time.
public final class LogThreshold: Sendable {
  private let index: Atomic<Int>

  public init(_ level: Logger.Level) { index = Atomic(Self.index(of: level)) }

  public var level: Logger.Level {
    get { Logger.Level.allCases[index.load(ordering: .relaxed)] }
    set { index.store(Self.index(of: newValue), ordering: .relaxed) }
  }

  private static func index(of level: Logger.Level) -> Int {
    Logger.Level.allCases.firstIndex(of: level) ?? 0
  }
}

/// A handler of swift-log that writes one line for each event, as text or JSON.
public struct LineLogHandler: LogHandler {
  public var metadata: Logger.Metadata = [:]
  public var metadataProvider: Logger.MetadataProvider?
  private let writer: LineWriter
  private let format: LogFormat
  private let threshold: LogThreshold
  private let isAudit: Bool
  private let forJournal: Bool
  private let losses: AtomicCounter?

  /// Creates a handler. All handlers with the same threshold change their level together. Lines
  /// `forJournal` begin with their priority. `losses` counts the lines of this handler that the writer loses.
  public init(
    _ writer: LineWriter, format: LogFormat, threshold: LogThreshold, isAudit: Bool = false,
    forJournal: Bool = false, losses: AtomicCounter? = nil
  ) {
    self.writer = writer
    self.format = format
    self.threshold = threshold
    self.isAudit = isAudit
    self.forJournal = forJournal
    self.losses = losses
  }

  public var logLevel: Logger.Level {
    get { threshold.level }
    set { threshold.level = newValue }
  }

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  public func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    let line = LogLine(
      level: event.level, message: event.message.description, fields: Self.fields(all),
      isAudit: isAudit)
    writer.write(line.text(format, forJournal: forJournal), losses: losses)
  }

  /// The keys that name the subject of a line come first, the others by their names.
  private static let first = ["action", "session", "principal", "reason"]

  private static func fields(_ metadata: Logger.Metadata) -> [(key: String, value: String)] {
    func rank(_ key: String) -> Int { first.firstIndex(of: key) ?? first.count }
    return metadata.map { (key: $0.key, value: $0.value.description) }
      .sorted { (rank($0.key), $0.key) < (rank($1.key), $1.key) }
  }
}
