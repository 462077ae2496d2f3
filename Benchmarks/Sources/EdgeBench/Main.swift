internal import Foundation

/// Runs the agent, the server and a simulated room on the sound rig, and measures the promises of
/// docs/how-to/set-up-an-edge.md. Prints Markdown tables. scripts/bench edge explains the
/// arguments.
@main
enum Main {
  static func main() async throws {
    var arguments = CommandLine.arguments.dropFirst()
    guard let products = arguments.popFirst() else { fatalError("the folder of the executables") }
    let bench = EdgeBench(products: URL(filePath: products), voices: try await Voices())
    let tables =
      arguments.isEmpty ? ["echo", "latency", "faults", "drift", "soak"] : Array(arguments)
    for table in tables {
      switch table {
      case "echo": try await bench.echo()
      case "latency": try await bench.latency()
      case "faults": try await bench.faults()
      case "drift": try await bench.drift()
      case "soak": try await bench.soak()
      default: fatalError("no table \(table)")
      }
    }
  }
}
