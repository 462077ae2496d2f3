internal import AudioCore
internal import Foundation
internal import AcousticSimulator

/// Echo reduction without and with the aligner, as Markdown.
@main
enum Main {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    let rate: SampleRate = arguments.contains("48000") ? .hz48000 : .hz16000
    let voices = try await Voices(rate)
    let tables = Tables(rate: rate, voices: voices)
    let wanted = arguments.filter { Double($0) == nil }
    func wants(_ name: String) -> Bool { wanted.isEmpty || wanted.contains(name) }
    print("## \(rate.hertz) Hz\n")
    if wants("lags") { try tables.lags() }
    if wants("drifts") { try tables.drifts() }
    if wants("jumps") { try tables.jumps() }
    if wants("gap") { try tables.gap() }
    if wants("double-talk") { try tables.doubleTalk() }
    if wanted.contains("trace") { try tables.trace(drift: Double(arguments.last!)!) }
    if wants("cost") { try tables.cost() }
  }
}

extension Tables {
  func trace(drift: Double) throws {
    var scene = self.scene
    scene.lag = 0.3
    scene.driftPPM = drift
    let recording = scene.record(farEnd: far(seconds: 60))
    let aligned = try Trial(recording, rate, isAligned: true)
    for second in 0..<59 {
      let s = Double(second)
      print(second, text(aligned.reduction(s..<s+1)), aligned.trace[second*100+99])
    }
    print(aligned.changes)
  }
}
