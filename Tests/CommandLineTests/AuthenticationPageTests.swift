import Foundation
import Testing

/// The commands of docs/how-to/authenticate.md, run as they stand, on a free port.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct AuthenticationPageTests {
  @Test(arguments: ["Tokens", "Certificates"])
  func theCommandsOfThePageWork(section: String) async throws {
    let folder = try Folder()
    let script = try Self.script(of: section)
    try folder.write(Data(script.utf8), "page.sh")
    let result = try await Command("/bin/bash", ["page.sh"], in: folder)
      .wait(atMost: .seconds(60))
    #expect(result.status == 0, "\(result.text)\(result.errors)\n\(script)")
  }

  /// Returns a script with the commands of a section. It fails if a command fails, or if the page
  /// shows another error of a command.
  private static func script(of section: String) throws -> String {
    let page = try String(
      contentsOf: Folder.package.appendingPathComponent("docs/how-to/authenticate.md"),
      encoding: .utf8)
    let text = try #require(
      page.components(separatedBy: "\n## ").first { $0.hasPrefix("\(section)\n") })
    var blocks: [String] = []
    for part in text.components(separatedBy: "\n\n") where part.hasPrefix("    ") {
      let block = part.split(separator: "\n").map { $0.dropFirst(4) }.joined(separator: "\n")
      if block.hasPrefix("anechoic: "), let command = blocks.popLast() {
        blocks.append("expect \"\(block.replacing("\"", with: "\\\""))\" \(command)")
      } else if !block.contains("curl") {
        blocks.append(block)
      }
    }
    let prelude = """
      set -eo pipefail
      PATH="\(Command.path(""))":$PATH
      trap 'kill $(jobs -p) 2> /dev/null' EXIT
      port=$(/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); \
      print(s.getsockname()[1])')
      expect() {
        wanted=$1 status=0
        shift
        seen=$("$@" 2>&1) || status=$?
        [ $status -ne 0 ] && [ "$seen" = "$wanted" ] || { echo "not \\"$wanted\\": $seen"; exit 1; }
      }

      """
    return prelude
      + blocks.joined(separator: "\n").replacing("127.0.0.1:50051", with: "127.0.0.1:$port")
      .replacing("anechoic-server --tls", with: "anechoic-server --listen 127.0.0.1:$port --tls")
      .replacing("way=\"", with: "way=\"--server 127.0.0.1:$port ") + "\n"
  }
}
