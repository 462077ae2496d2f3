import CommandLineSupport
import Foundation
import Testing

@testable import anechoic

/// Tables, as Python's csv module and NumPy read them.
struct TableTests {
  private static let columns = [
    TableColumn("time_s", .real), TableColumn("sample", .integer),
    TableColumn("level_dbfs", .level), TableColumn("voice", .truth),
    TableColumn("event", .word(longest: 6)),
    TableColumn("details", .text),
  ]
  private static let rows: [[TableValue]] = [
    [
      .real(0.01), .integer(-5), .real(-20.5), .truth(true), .text("start"),
      .text("a,b\"c\"\n\u{301}\""),
    ],
    [.real(1e-7), .integer(.max), .missing, .truth(false), .text("größer"), .text("")],
    [.missing, .integer(.min), .real(.infinity), .truth(true), .missing, .text("=1+1")],
  ]

  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("anechoic-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func write(_ name: String, rows: [[TableValue]] = rows) throws -> String {
    let path = folder.appendingPathComponent(name).path
    let form = try #require(TableForm(path: path))
    let file = try form.open(path, Self.columns)
    for row in rows { try file.append(row) }
    try file.finish()
    return path
  }

  /// Returns what a script prints that has the path of a file in sys.argv[1].
  private func python(_ script: String, _ path: String) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = ["-c", script, path]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    let text = String(decoding: data, as: UTF8.self)
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(text)")
    return text
  }

  @Test func pythonReadsTheCSVFile() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let text = try python(
      """
      import csv, sys
      rows = list(csv.reader(open(sys.argv[1], newline="", encoding="utf-8")))
      assert rows[0] == ["time_s", "sample", "level_dbfs", "voice", "event", "details"], rows[0]
      assert rows[1] == ["0.01", "-5", "-20.5", "1", "start", 'a,b"c"\\n\\u0301"'], rows[1]
      assert rows[2] == ["1e-07", "9223372036854775807", "", "0", "größer", ""], rows[2]
      assert rows[3] == ["", "-9223372036854775808", "", "1", "", "=1+1"], rows[3]
      print(len(rows))
      """, try write("table.csv"))
    #expect(text == "4\n")
  }

  @Test func numpyReadsTheNPZFile() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let text = try python(
      """
      import numpy, sys, zipfile
      assert zipfile.ZipFile(sys.argv[1]).testzip() is None
      table = numpy.load(sys.argv[1], allow_pickle=False)
      assert table.files == ["time_s", "sample", "level_dbfs", "voice", "event"], table.files
      assert table["time_s"].dtype == "<f8" and table["level_dbfs"].dtype == "<f4"
      numpy.testing.assert_array_equal(table["time_s"], [0.01, 1e-7, numpy.nan])
      numpy.testing.assert_array_equal(table["level_dbfs"], [-20.5, numpy.nan, numpy.inf])
      assert table["sample"].tolist() == [-5, 2**63 - 1, -2**63]
      assert table["voice"].dtype == bool and table["voice"].tolist() == [True, False, True]
      assert table["event"].tolist() == ["start", "größer", ""]
      print("ok")
      """, try write("table.NPZ"))
    #expect(text == "ok\n")
  }

  @Test func numpyReadsATableWithoutRows() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let text = try python(
      "import numpy, sys; print(numpy.load(sys.argv[1])['event'].shape)",
      try write("empty.npz", rows: []))
    #expect(text == "(0,)\n")
  }

  @Test func manyRowsPassThroughTheSpools() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let rows = (0..<50_000).map { index in
      [
        .real(Double(index)), .integer(Int64(index)), .missing, .truth(index % 3 == 0),
        .text("\(index)"), .missing,
      ] as [TableValue]
    }
    let text = try python(
      """
      import numpy, sys
      table = numpy.load(sys.argv[1])
      expected = numpy.arange(50_000)
      assert (table["time_s"] == expected).all() and (table["sample"] == expected).all()
      assert (table["voice"] == (expected % 3 == 0)).all()
      assert (table["event"] == expected.astype(str)).all()
      print(len(expected))
      """, try write("many.npz", rows: rows))
    #expect(text == "50000\n")
  }

  @Test func theSameTableGivesTheSameBytes() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try Data(contentsOf: URL(fileURLWithPath: try write("first.npz")))
    let second = try Data(contentsOf: URL(fileURLWithPath: try write("second.npz")))
    #expect(first == second)
  }

  @Test(arguments: ["a.jsonl", "-", "csv", "a.csv.txt", "a"])
  func otherNamesAreNoTables(path: String) { #expect(TableForm(path: path) == nil) }

  @Test(arguments: ["csv", "npz"])
  func aFileThatCannotBeWrittenIsRefused(ending: String) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("missing/table.\(ending)").path
    #expect(throws: CommandError.self) {
      try #require(TableForm(path: path)).open(path, Self.columns)
    }
  }
}
