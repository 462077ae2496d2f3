internal import Alignment
internal import AudioCore
internal import Foundation
internal import WebRTCEngine

/// Echo reduction without and with the aligner, as Markdown.
@main
enum Main {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    let rate: SampleRate = arguments.contains("48000") ? .hz48000 : .hz16000
    let voices = try await Voices(rate)
    var tables = Tables(rate: rate, voices: voices)
    if arguments.contains("plain-filter") {
      tables.search = WebRTCEchoSearch(hasExtendedFilter: false, isDelayAgnostic: false)
      tables.leads = .init(best: .milliseconds(25), good: .milliseconds(12) ... .milliseconds(40))
    }
    let wanted = arguments.filter { Int($0) == nil && $0 != "plain-filter" }
    func wants(_ name: String) -> Bool { wanted.isEmpty || wanted.contains(name) }
    print("## \(rate.hertz) Hz\n")
    if wants("lags") { try tables.lags() }
    if wants("drifts") { try tables.drifts() }
    if wants("jumps") { try tables.jumps() }
    if wants("gap") { try tables.gap() }
    if wants("double-talk") { try tables.doubleTalk() }
    if wanted.contains("leads") { try tables.leadTable() }
    if wanted.contains("engines") { try tables.engines() }
    if wants("finding") { try tables.finding() }
    if wants("cost") { try tables.cost() }
  }
}
