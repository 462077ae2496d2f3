import Foundation
import Logging
import Operations
import Synchronization
import Testing

/// One line for each event, whatever clients put into it.
struct LogLineTests {
  private func line(_ fields: [(key: String, value: String)]) -> LogLine {
    LogLine(
      time: .milliseconds(1_700_000_000_005), level: .info, message: "session ended",
      fields: fields)
  }

  @Test func aLineOfTextHasTimeLevelMessageAndFields() {
    #expect(
      line([("session", "s-1"), ("problem", "no more \"room\""), ("empty", "")]).text(.text)
        == """
        2023-11-14T22:13:20.005Z info session ended session=s-1 problem="no more \\"room\\"" \
        empty=""

        """)
  }

  @Test func aLineOfJSONCanBeRead() throws {
    let nasty = "a\nb\u{1b}[31m\u{202e}\u{0}\"\\\t\u{2028}ü😀"
    let text = line([("value", nasty)]).text(.json)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(object["value"] as? String == nasty)
    #expect(object["message"] as? String == "session ended")
    #expect(object["level"] as? String == "info")
    #expect(object["time"] as? String == "2023-11-14T22:13:20.005Z")
  }

  @Test(arguments: LogFormat.allCases)
  func charactersThatControlATerminalAreEscaped(format: LogFormat) {
    let text = line([("value", "\r\n\u{1b}[2J\u{7f}\u{85}\u{202e}\u{2028}\u{feff}\u{e0001}")])
      .text(format)
    #expect(text.filter(\.isNewline) == "\n")
    #expect(
      text.dropLast().unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 && $0 != "\u{7f}" }
    )
  }

  @Test func anAuditLineIsMarked() {
    let line = LogLine(level: .notice, message: "control", isAudit: true)
    #expect(line.text(.json).contains(",\"audit\":true"))
    #expect(line.text(.text).contains(" audit=true"))
  }
}

@Suite(.timeLimit(.minutes(1)))
struct LineWriterTests {
  /// As in the server, a pipe that nobody reads is no reason to end the process.
  init() { signal(SIGPIPE, SIG_IGN) }

  private static func loss(_ count: UInt64) -> String { "lost \(count)\n" }

  @Test func linesAreWrittenInOrder() throws {
    let pipe = Pipe()
    let writer = LineWriter(
      descriptor: pipe.fileHandleForWriting.fileDescriptor, lossLine: Self.loss)
    for index in 0..<100 { writer.write("line \(index)\n") }
    writer.flush(atMost: .seconds(10))
    let text = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
    #expect(text.split(separator: "\n") == (0..<100).map { "line \($0)" })
  }

  @Test func aFullPipeLosesLinesButNeverWaits() throws {
    let pipe = Pipe()
    let counts = LineWriter.Counts()
    let writer = LineWriter(
      descriptor: pipe.fileHandleForWriting.fileDescriptor, counts: counts, lossLine: Self.loss)
    let line = String(repeating: "x", count: 999) + "\n"
    let lines = 5000
    for _ in 0..<lines { writer.write(line) }
    // At most the queue, what the thread has taken, and the pipe are not lost.
    #expect(counts.lost.value > UInt64(lines) - 2 * UInt64(LineWriter.mostBytes) / 1000 - 100)
    var text = Data()
    var isLossTold = false
    while counts.written.value + counts.lost.value < UInt64(lines) || !isLossTold {
      writer.write("next\n")
      let chunk = pipe.fileHandleForReading.availableData
      text += chunk
      isLossTold =
        isLossTold
        || String(decoding: text.suffix(chunk.count + 10), as: UTF8.self).contains("\nlost ")
    }
    // The last line may be incomplete.
    let all = String(decoding: text, as: UTF8.self).split(separator: "\n").dropLast()
    #expect(all.allSatisfy { $0.count == 999 || $0.hasPrefix("lost ") || $0 == "next" })
  }

  @Test func aFullDiskLosesLinesAndIsSurvived() throws {
    let full = open("/dev/full", O_WRONLY)
    defer { close(full) }
    let counts = LineWriter.Counts()
    let writer = LineWriter(descriptor: full, counts: counts, lossLine: Self.loss)
    for _ in 0..<10 { writer.write("line\n") }
    writer.flush(atMost: .seconds(10))
    #expect(counts.lost.value == 10 && counts.written.value == 0)
  }

  @Test func aClosedDescriptorLosesLinesAndIsSurvived() throws {
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    let counts = LineWriter.Counts()
    let writer = LineWriter(
      descriptor: pipe.fileHandleForWriting.fileDescriptor, counts: counts, lossLine: Self.loss)
    writer.write("line\n")
    writer.flush(atMost: .seconds(10))
    #expect(counts.lost.value == 1)
  }

  /// The audit log may share the writer of the log.
  @Test func theLostLinesOfAHandlerAreCounted() {
    let (counts, audits) = (LineWriter.Counts(), AtomicCounter())
    let full = open("/dev/full", O_WRONLY)
    defer { close(full) }
    let writer = LineWriter(descriptor: full, counts: counts, lossLine: Self.loss)
    func logger(_ losses: AtomicCounter?) -> Logger {
      Logger(label: "a") { _ in
        LineLogHandler(writer, format: .text, threshold: LogThreshold(.info), losses: losses)
      }
    }
    let (log, audit) = (logger(nil), logger(audits))
    log.notice("one")
    audit.notice("two")
    writer.flush(atMost: .seconds(10))
    #expect(counts.lost.value == 2 && audits.value == 1)
  }

  @Test func aRenamedFileIsOpenedAgain() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("audit.log").path
    let writer = try #require(LineWriter(path: path, lossLine: Self.loss))
    writer.write("one\n")
    writer.flush(atMost: .seconds(10))
    try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
    writer.write("two\n")
    writer.flush(atMost: .seconds(10))
    writer.reopen()
    writer.write("three\n")
    writer.flush(atMost: .seconds(10))
    #expect(try String(contentsOfFile: path + ".1", encoding: .utf8) == "one\ntwo\n")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "three\n")
  }

  @Test func aFileThatCannotBeOpenedAgainStaysInUse() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let moved = folder.appendingPathExtension("moved")
    defer { try? FileManager.default.removeItem(at: moved) }
    let path = folder.appendingPathComponent("audit.log").path
    let writer = try #require(LineWriter(path: path, lossLine: Self.loss))
    try FileManager.default.moveItem(at: folder, to: moved)
    #expect(!writer.reopen() && errno == ENOENT)
    writer.write("line\n")
    writer.flush(atMost: .seconds(10))
    let text = try String(contentsOf: moved.appendingPathComponent("audit.log"), encoding: .utf8)
    #expect(text == "line\n")
  }

  @Test func aFolderThatDoesNotExistIsReported() {
    #expect(LineWriter(path: "/nowhere/audit.log", lossLine: Self.loss) == nil)
  }

  @Test func aLongLineIsCutOff() throws {
    let pipe = Pipe()
    let writer = LineWriter(
      descriptor: pipe.fileHandleForWriting.fileDescriptor, lossLine: Self.loss)
    writer.write(String(repeating: "x", count: 100_000) + "\n")
    let data = pipe.fileHandleForReading.readData(ofLength: LineWriter.longestLine)
    #expect(data.count == LineWriter.longestLine && data.last == UInt8(ascii: "\n"))
  }
}

struct LogBudgetTests {
  @Test func aPrincipalThatLogsTooMuchIsSuppressedAndCounted() {
    var budget = LogBudget()
    let start = ContinuousClock.now
    for _ in 0..<Int(LogBudget.burst) {
      #expect(budget.take(for: "a", now: start) == .write(suppressed: 0))
    }
    #expect(budget.take(for: "a", now: start) == .suppress)
    #expect(budget.take(for: "a", now: start) == .suppress)
    #expect(budget.take(for: "b", now: start) == .write(suppressed: 0))
    #expect(budget.take(for: "a", now: start + .seconds(1)) == .write(suppressed: 2))
  }

  @Test func inventedNamesUseABoundedTable() {
    var budget = LogBudget()
    let start = ContinuousClock.now
    for index in 0..<10_000 {
      _ = budget.take(for: "\(index)", now: start + .milliseconds(index))
    }
    #expect(budget.count <= 256)
  }
}

struct LevelTests {
  @Test func theLevelOfAllLoggersChangesAtOnce() {
    let threshold = LogThreshold(.info)
    let writer = LineWriter(descriptor: -1) { _ in "" }
    let logger = Logger(label: "a") { _ in
      LineLogHandler(writer, format: .text, threshold: threshold)
    }
    #expect(logger.logLevel == .info)
    threshold.level = .debug
    #expect(logger.logLevel == .debug)
  }
}

struct JournalPriorityTests {
  @Test(arguments: [
    (Logger.Level.critical, "<2>"), (.error, "<3>"), (.warning, "<4>"), (.notice, "<5>"),
    (.info, "<6>"), (.debug, "<7>"), (.trace, "<7>"),
  ])
  func aLineForTheJournalBeginsWithItsPriority(level: Logger.Level, priority: String) {
    for format in LogFormat.allCases {
      let line = LogLine(level: level, message: "a")
      #expect(line.text(format, forJournal: true) == priority + line.text(format))
    }
  }
}

struct LogFormatTests {
  @Test func aFormatIsChosenByName() { #expect(LogFormat(rawValue: "json") == .json) }
}
