import AudioCore
import AudioFiles
import Foundation
import TestAudio
import Testing

/// `anechoic report` on files.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ReportTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.writeCall()
  }

  private func report(_ arguments: [String]) async throws -> Command.Result {
    try await Command.run("anechoic", ["report"] + arguments, in: folder)
  }

  /// Checks a page in Chromium. `players` is the number of its players.
  private func check(_ page: String, title: String, players: Int) async throws {
    let script = Folder.package.appendingPathComponent("Tests/System/ReportPage/check.py").path
    let result = try await Command(
      Python.path, [script, page, title, "\(players)"], in: folder
    ).wait(atMost: .seconds(100))
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test func thePageWorksInABrowserWithoutANetwork() async throws {
    // A name of a file can contain everything but a slash.
    let name = "<img src=x onerror=alert(1)>\"'&.wav"
    try folder.writeCall(name, "<script>alert(2).wav")
    let result = try await report(
      [name, "--reference", "<script>alert(2).wav", "-o", "report.html", "--png", "report.png"])
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    try await check("report.html", title: name, players: 3)
    let picture = try folder.data("report.png")
    #expect(picture.starts(with: [0x89, 0x50, 0x4e, 0x47]))
    #expect(picture.count > 50_000)
    // The temporary files are gone.
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(!names.contains { $0.hasPrefix(".anechoic") }, "\(names)")
  }

  @Test func aRecordingOfTwoFloatingChannelsNeedsNoReference() async throws {
    let planes = [Signals.babble(96_000, rate: .hz48000), Signals.noise(96_000, seed: 7)]
    let format = AudioFormat(encoding: .f32, rate: .hz48000, channelCount: 2)
    try AudioFileWriter(path: folder.path("stereo.wav"), format: format)
      .write(encode(planes, .f32))
    let result = try await report(["stereo.wav", "-o", "report.html"])
    #expect(result.status == 0, "\(result.errors)")
    try await check("report.html", title: "stereo.wav", players: 2)
  }

  @Test func anEchoThatIsTakenForAVoiceIsOnThePage() async throws {
    try folder.writeVoices(far: try await Voices.far(seconds: 15))
    let result = try await report([
      "microphone.wav", "--reference", "reference.wav", "--no-echo-cancellation", "-o", "r.html",
      "--sounds", "0",
    ])
    #expect(result.status == 0 && result.errorLines.count == 1, "\(result.errors)")
    let warning = "the echo may have been taken for a voice: voice was found in "
    #expect(result.errors.hasPrefix("anechoic: warning: \(warning)"), "\(result.errors)")
    let page = String(decoding: try folder.data("r.html"), as: UTF8.self)
    let hasWarning = page.contains("<p class=\"alert\" role=\"alert\">Warning: \(warning)")
    #expect(hasWarning)
    #expect(page.contains("Echo reduction, no voice") && page.contains("Echo reduction, all"))
  }

  @Test(arguments: [SampleRate.hz8000, .hz44100])
  func aReferenceOfAnotherRateIsAccepted(rate: SampleRate) async throws {
    try folder.writeCall("m.wav", "unused.wav", milliseconds: 305, rate: rate)
    let result = try await report(["m.wav", "--reference", "reference.wav", "-o", "r.html"])
    #expect(result.status == 0, "\(result.errors)")
    let page = String(decoding: try folder.data("r.html"), as: UTF8.self)
    let hasSound = page.contains("data:audio/flac")
    #expect(hasSound)
  }

  enum End { case noPlayers, cut, whole }

  @Test(arguments: [("0", End.noPlayers), ("8KiB", .cut), ("1MiB", .whole)])
  func aPageHoldsABoundedAmountOfSound(size: String, end: End) async throws {
    let result = try await report(
      ["microphone.wav", "--reference", "reference.wav", "-o", "r.html", "--sounds", size])
    #expect(result.status == 0, "\(result.errors)")
    let page = String(decoding: try folder.data("r.html"), as: UTF8.self)
    // The pages are too long for messages.
    let (hasPlayers, isCut) = (page.contains("<audio"), page.contains("The player holds the first"))
    #expect(hasPlayers == (end != .noPlayers) && isCut == (end == .cut))
    if isCut {
      let saysWhere = page.contains("the first 0:01 of 0:02, because this page holds at most 8KiB")
      #expect(saysWhere)
    }
  }

  @Test func aServerProcessesTheRecording() async throws {
    let server = try await ServerProcess(in: folder)
    let result = try await report(
      [
        "microphone.wav", "--reference", "reference.wav", "-o", "report.html", "--server",
        server.address,
      ])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try folder.data("report.html").count > 100_000)
  }

  @Test func whatCannotBeReportedGetsOneLine() async throws {
    try folder.write(Data(), "empty.wav")
    try folder.write(Data("text".utf8), "text.wav")
    let format = AudioFormat(encoding: .f32, rate: .hz16000, channelCount: 1)
    try AudioFileWriter(path: folder.path("nan.wav"), format: format)
      .write(encode([Signals.silence(16_000) + [.nan] + Signals.silence(16_000)], .f32))
    try folder.write(Data("old".utf8), "old.html")
    let cases: [(arguments: [String], error: String)] = [
      (["missing.wav", "-o", "old.html"], "missing.wav: no such file or directory"),
      (["empty.wav", "-o", "old.html"], "empty.wav: "),
      (["text.wav", "-o", "old.html"], "text.wav: the file is not audio"),
      (["nan.wav", "-o", "old.html"], "nan.wav: sample 16000 is not a finite number"),
      (
        ["microphone.wav", "--reference", "nan.wav", "-o", "old.html"],
        "nan.wav: sample 16000 is not a finite number"
      ),
      (["microphone.wav", "-o", "none/old.html"], "none/old.html: no such file or directory"),
      (["microphone.wav", "-o", "."], ".: this is not a regular file"),
      (["microphone.wav", "-o", "microphone.wav"], "microphone.wav: this file is also an input"),
      (["microphone.wav", "-o", "x.html", "--png", "x.html"], "x.html: two outputs"),
      (["microphone.wav", "-o", "old.html", "--server", "127.0.0.1:1"], "127.0.0.1:1: "),
    ]
    for (arguments, error) in cases {
      let result = try await report(arguments)
      #expect(result.status == 2, "\(arguments): \(result.errors)")
      #expect(result.errorLines.count == 1, "\(result.errors)")
      #expect(result.errors.hasPrefix("anechoic: \(error)"), "\(result.errors)")
    }
    #expect(try folder.data("old.html") == Data("old".utf8))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(!names.contains { $0.hasPrefix(".anechoic") || $0 == "x.html" }, "\(names)")
  }

  @Test(arguments: [
    ["report", "m.wav"], ["report", "m.wav", "-o", "r.html", "--sounds", "-1"],
    ["report", "m.wav", "-o", "r.html", "--compare", ""],
    ["report", "m.wav", "-o", "r.html", "--compare", "--no-turns", "--compare", "--no-turns"],
  ])
  func wrongUsageIsReported(arguments: [String]) async throws {
    let result = try await Command.run("anechoic", arguments, in: folder)
    #expect(result.status == 64 && result.errors.contains("Usage: "), "\(result.errors)")
  }
}
