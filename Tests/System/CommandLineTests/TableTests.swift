import Foundation
import Testing

/// The tables of `anechoic process`, as NumPy and Python's csv module read them.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct TableTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.writeCall()
  }

  private func process(_ options: [String]) async throws -> Command.Result {
    try await Command.run(
      "anechoic",
      [
        "process", "--microphone", "microphone.wav", "--reference", "reference.wav", "--output",
        "out.wav",
      ] + options, in: folder)
  }

  @Test func theTablesHaveTheValuesOfTheLines() async throws {
    for ending in ["jsonl", "csv", "npz"] {
      let result = try await process([
        "--events", "events.\(ending)", "--stats", "stats.\(ending)", "--stats-interval", "100ms",
        "--frames", "frames.\(ending)",
      ])
      #expect(result.status == 0, "\(result.errors)")
    }
    let script = """
      import csv, json, math, wave
      import numpy

      def lines(name):
          return [json.loads(line) for line in open(name + ".jsonl", encoding="utf-8")]

      def rows(name):
          return list(csv.DictReader(open(name + ".csv", newline="", encoding="utf-8")))

      def number(text):
          return float(text) if text else math.nan

      def level(name, first, count):
          with wave.open(name) as file:
              file.setpos(first)
              samples = numpy.frombuffer(file.readframes(count), "<i2") / 32768
          return max(-120.0, 10 * math.log10(max(1e-12, (samples ** 2).mean())))

      for name in ("events", "stats", "frames"):
          table, arrays = rows(name), numpy.load(name + ".npz")
          assert len(table) > 5 or name == "events", name
          for column in table[0]:
              if column == "details":
                  assert column not in arrays.files
                  continue
              assert len(arrays[column]) == len(table)
              if arrays[column].dtype.kind == "U":
                  assert arrays[column].tolist() == [row[column] for row in table], column
                  continue
              values = numpy.array([number(row[column]) for row in table])
              # Two runs take different times.
              if "processing" not in column and "backlog" not in column:
                  numpy.testing.assert_allclose(arrays[column], values, rtol=1e-6)

      frames, found = rows("frames"), lines("frames")
      assert [int(row["sample"]) for row in frames] == [line["sample"] for line in found]
      for index, (row, line) in enumerate(zip(frames, found)):
          assert abs(float(row["time_s"]) - index / 100) < 1e-9
          assert row["voice"] == str(int(line.get("voice", False)))
          assert abs(float(row["speech_probability"]) - line.get("speechProbability", 0)) < 1e-6
      # The last frame has 5 ms and no level.
      assert frames[-1]["microphone_dbfs"] == frames[-1]["processed_dbfs"] == ""
      for row in frames[:-1]:
          for column, file in {"microphone_dbfs": "microphone.wav", "played_dbfs": "reference.wav",
                               "processed_dbfs": "out.wav"}.items():
              assert abs(float(row[column]) - level(file, int(row["sample"]), 160)) < 0.01, row

      stats, told = rows("stats"), lines("stats")
      assert len(stats) == len(told) == 20
      for index, (row, line) in enumerate(zip(stats, told)):
          assert abs(float(row["time_s"]) - (index + 1) / 10) < 1e-9
          assert int(row["frames_processed"]) == line["flow"]["framesProcessed"]
          assert abs(float(row["microphone_dbfs"]) - line["levels"]["microphoneRmsDbfs"]) < 1e-5
          assert (row["echo_delay_ms"] != "") == ("delay" in line["echo"])
          assert row["mic_mode"] == "standard"

      events, said = rows("events"), lines("events")
      assert [int(row["event_id"]) for row in events] == [line["eventId"] for line in said]
      assert events[-1]["event"] == "session_ended"
      assert json.loads(events[-1]["details"]) == {"reason": "REASON_CLIENT_CLOSED"}
      for row, line in zip(events, said):
          if row["event"] == "echo_path_changed":
              delay = float(line["echoPathChanged"]["delay"][:-1])
              assert abs(float(row["delay_ms"]) - 1000 * delay) < 1e-3, row
      print("ok")
      """
    let result = try await Command.run(Python.path, ["-c", script], in: folder)
    #expect(result.status == 0 && result.text == "ok\n", "\(result.errors)")
  }

  @Test func aControlsResultIsARowAmongTheEvents() async throws {
    try folder.write(
      Data(
        """
        {"at": 1, "set_mute": {"muted": true}}
        {"at": 1.5, "decide_mute_gesture": {"gestureId": "none", "accept": true}}

        """.utf8), "controls.jsonl")
    let result = try await process(["--controls", "controls.jsonl", "--events", "events.csv"])
    #expect(result.status == 2, "\(result.errors)")
    let rows = String(decoding: try folder.data("events.csv"), as: UTF8.self)
      .split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    #expect(rows[0].count == 11)
    let results = rows.filter { $0[3] == "control_result" }
    #expect(results.map { $0[5] } == ["1.0", "0.0"], "\(rows)")
    #expect(rows.contains { $0[3] == "mute_changed" && $0[0] == "1.0" && $0[5] == "1.0" })
  }

  @Test(arguments: ["99ms", "soon"])
  func aWrongIntervalIsWrongUsage(interval: String) async throws {
    let result = try await process(["--stats-interval=\(interval)"])
    #expect(result.status == 64, "\(result.errors)")
  }

  @Test(arguments: ["csv", "npz"])
  func aTableThatCannotBeWrittenGetsOneLine(ending: String) async throws {
    let result = try await process(["--frames", "none/frames.\(ending)"])
    #expect(result.status == 2 && result.errorLines.count == 1, "\(result.errors)")
    #expect(
      result.errors == "anechoic: none/frames.\(ending): no such file or directory\n")
  }
}
