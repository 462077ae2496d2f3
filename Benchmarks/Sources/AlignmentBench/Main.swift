internal import AudioCore
internal import Foundation

/// Echo reduction without and with the aligner, as Markdown.
@main
enum Main {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    let rate: SampleRate = arguments.contains("48000") ? .hz48000 : .hz16000
    let voices = try await Voices(rate)
    let tables = Tables(rate: rate, voices: voices)
    let wanted = arguments.filter { Int($0) == nil }
    func wants(_ name: String) -> Bool { wanted.isEmpty || wanted.contains(name) }
    print("## \(rate.hertz) Hz\n")
    if wants("lags") { try tables.lags() }
    if wants("drifts") { try tables.drifts() }
    if wants("jumps") { try tables.jumps() }
    if wants("gap") { try tables.gap() }
    if wants("double-talk") { try tables.doubleTalk() }
    if wants("cost") { try tables.cost() }
  }
}
