internal import AudioCore
internal import Foundation

/// Prints tables of the echo reduction in simulated calls, as Markdown.
@main
enum Main {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    if let instructions = Instructions(arguments) { return try instructions.run() }
    let rate: SampleRate = arguments.contains("48000") ? .hz48000 : .hz16000
    let tables = Tables(rate: rate, voices: try await Voices(rate))
    let wanted = arguments.filter { Int($0) == nil }
    func print(_ name: String, _ table: () throws -> Void) throws {
      if wanted.isEmpty && name != "engine" || wanted.contains(name) { try table() }
    }
    Swift.print("## \(rate.hertz) Hz\n")
    try print("lags", tables.lags)
    try print("times", tables.times)
    try print("drifts", tables.drifts)
    try print("jumps", tables.jumps)
    try print("rooms", tables.rooms)
    try print("network", tables.network)
    try print("gap", tables.gap)
    try print("microphone-gap", tables.microphoneGap)
    try print("double-talk", tables.doubleTalk)
    try print("finding", tables.finding)
    try print("cost", tables.cost)
    try print("engine", tables.engine)
  }
}
