internal import AnechoicAPI
internal import EdgeRig
internal import Foundation
internal import SoundRig
internal import SwiftProtobuf

extension EdgeBench {
  /// Capture that runs faster or slower than playback.
  func drift(seconds: Int) async throws {
    print("\n### Drift for \(seconds) s\n")
    print(
      "| capture's clock | found by the agent, ppm | buffer, ms, least and most | underruns "
        + "| samples skipped | echo reduction, dB, least of 10 s and mean | memory, MB, first and last |"
    )
    print("|---|---|---|---|---|---|---|")
    for clock in [1.0005, 0.9995] {
      try await withCall(captureClock: clock) { edge, rig, _ in
        edge.farEnd.play(voices.farEnd, isRepeated: true)
        try await sleep(10)
        let first = try await edge.status()
        let memory = residentMegabytes(edge.agentIdentifier)
        var buffers: [Float] = []
        var reductions: [Double] = []
        for _ in 0..<(seconds / 10) {
          let microphone = try rig.record(from: "micbus.monitor")
          let start = edge.voice.count(at: .now)
          try await sleep(10)
          let heard = Loudness.level(microphone.stop())
          reductions.append(heard - Loudness.level(edge.voice.samples[start...]))
          buffers.append(try await edge.status().flow.playbackBufferMs)
        }
        let last = try await edge.status()
        let mean = reductions.reduce(0, +) / Double(max(1, reductions.count))
        print(
          "| \(clock) | \(Self.rounded(Double(last.flow.playbackDriftPpm))) "
            + "| \(Self.rounded(Double(buffers.min() ?? 0))), \(Self.rounded(Double(buffers.max() ?? 0))) "
            + "| \(last.flow.playbackUnderruns - first.flow.playbackUnderruns) "
            + "| \(last.flow.playbackSamplesSkipped - first.flow.playbackSamplesSkipped) "
            + "| \(Self.rounded(reductions.min() ?? 0)), \(Self.rounded(mean)) "
            + "| \(Self.rounded(memory)), \(Self.rounded(residentMegabytes(edge.agentIdentifier))) |"
        )
      }
      try await clicks(clock)
    }
  }

  /// A tone to the loudspeaker: a click is a step that the tone itself does not make.
  private func clicks(_ clock: Double) async throws {
    try await withCall(captureClock: clock) { edge, rig, _ in
      let tone = (0..<Self.rate).map { index in
        Float(0.3 * sin(2 * Double.pi * 440 * Double(index) / Double(Self.rate)))
      }
      edge.farEnd.play(tone, isRepeated: true)
      try await sleep(5)
      let played = try rig.record(from: "spk.monitor")
      try await sleep(20)
      let samples = played.stop().dropFirst(Self.rate)
      let largest = zip(samples, samples.dropFirst()).map { abs($0.0 - $0.1) }.max() ?? 0
      let expected = zip(tone, tone.dropFirst()).map { abs($0.0 - $0.1) }.max() ?? 1
      print(
        "\nWith a clock of \(clock), in \(samples.count / Self.rate) s of a tone the largest step between "
          + "samples is \(Self.rounded(20 * log10(Double(largest / expected)))) dB above the tone's own.\n"
      )
    }
  }

  /// The agent's resident memory.
  func residentMegabytes(_ process: Int32) -> Double {
    let text = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return (Double(line.split(separator: " ").dropFirst().first ?? "") ?? 0) / 1024
  }
}
