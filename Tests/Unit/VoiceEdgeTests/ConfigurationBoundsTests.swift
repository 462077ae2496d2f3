import Settings
import Testing
import VoiceEdge

/// Files that are too large, or that expand to too much: each is refused quickly and in one line.
@Suite(.timeLimit(.minutes(1)))
struct ConfigurationBoundsTests {
  @Test(arguments: [
    String(repeating: "[", count: 500) + String(repeating: "]", count: 500),
    String(repeating: "- ", count: 500) + "a",
    "session: {config: " + String(repeating: "{a: ", count: 20) + String(repeating: "}", count: 21),
  ])
  func aFileThatIsTooDeepIsRefused(text: String) {
    #expect(problem(text) == "edge.yaml:1: is nested more than 16 levels deep")
  }

  @Test func aFileBeyondTheParsersDepthIsRefused() {
    let problem = problem(String(repeating: "[", count: 50_000))
    #expect(problem.hasPrefix("edge.yaml:1:") && !problem.contains("\n"))
  }

  /// Returns a "billion laughs" document.
  private static func bomb(_ width: Int, levels: Int) -> String {
    (1...levels).reduce("a0: &a0 [x]\n") { text, level in
      let aliases = Array(repeating: "*a\(level - 1)", count: width).joined(separator: ", ")
      return text + "a\(level): &a\(level) [\(aliases)]\n"
    }
  }

  @Test func manyAliasesAreRefused() {
    #expect(problem(Self.bomb(9, levels: 9)) == "edge.yaml: contains more than 8 aliases")
    #expect(problem("? \(Self.bomb(2, levels: 30))") == "edge.yaml: contains more than 8 aliases")
  }

  @Test func aliasesAreCountedByTheirExpansion() {
    let list = Array(repeating: "x", count: 4000).joined(separator: ", ")
    let text = "session: {config: {a: &a [\(list)], b: &b [*a, *a], c: [*b, *b, *b]}}\n"
    #expect(problem(text) == "edge.yaml: contains more than 20000 values")
  }

  @Test func aFewAliasesAreFine() throws {
    let text = "audio: {input_channels: &one 1, output_channels: *one}\n"
    #expect(try EdgeConfiguration.read(text, file: "edge.yaml").values.audio.outputChannels == 1)
  }

  @Test(arguments: [(100_000, ""), (1, "\\n\\e[1mb")])
  func theErrorIsOneShortLine(letters: Int, then rest: String) {
    let problem = problem("fallback: \"\(String(repeating: "a", count: letters))\(rest)\"")
    #expect(problem.hasPrefix("edge.yaml:1: fallback: \"a") && problem.count < 400)
    #expect(!problem.contains("\n") && !problem.contains("\u{1b}"))
  }
}
