import ArgumentParser
import Testing

@testable import anechoic

/// The options of the runs of `anechoic report`.
struct RunOptionsTests {
  private func compared(_ first: [String], _ compare: String) throws -> RunOptions {
    let command = try ReportCommand.parse(
      ["mic.wav", "-o", "page.html", "--compare", compare] + first)
    return try #require(try command.compared)
  }

  @Test func theSecondRunHasTheOptionsOfTheFirstUnlessItNamesOthers() throws {
    let first = [
      "--mic-mode", "voice-isolation", "--noise-suppression", "low", "--gain-control", "off",
      "--engine", "webrtc-audio-processing", "--turns", "--turn-end-probability", "0.5",
      "--no-echo-cancellation",
    ]
    let same = try compared(first, "--gain-control off")
    #expect(same.arguments.sorted() == first.sorted())
    let other = try compared(
      first, "--noise-suppression high --echo-cancellation --mic-mode standard --engine anechoic")
    #expect(other.voice.noiseSuppression == .high && other.voice.echoCancellation)
    #expect(other.voice.micMode == .standard && other.engine.engine == "anechoic")
    #expect(other.voice.gainControl == .off && other.voice.turnEndProbability == 0.5)
  }
}
