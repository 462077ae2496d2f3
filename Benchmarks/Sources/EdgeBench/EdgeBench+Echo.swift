internal import AnechoicAPI
internal import EdgeRig
internal import SoundRig
internal import SwiftProtobuf

extension EdgeBench {
  /// Prints the level of far-end speech at the microphone and in the processed voice, while only
  /// the far end talks.
  func echo() async throws {
    print("\n### Echo of far-end speech (20 s)\n")
    print(
      "| second | microphone, dBFS | voice, dBFS | reduction, dB | echo after, ms "
        + "| played faster by, ppm | underruns, skipped samples | jumps of the rig's path |")
    print("|---|---|---|---|---|---|---|---|")
    try await withCall { edge, rig, room in
      let microphone = try rig.record(from: "micbus.monitor")
      let start = edge.voice.count(at: .now)
      edge.farEnd.play(voices.farEnd, isRepeated: true)
      var told: [String] = []
      for _ in 0..<20 {
        try await sleep(1)
        let status = try await edge.status()
        let (delay, flow) = (status.stats.echo.delay, status.flow)
        told.append(
          "\(Self.rounded(Double(delay.nanos) / 1e6)) | \(Self.rounded(Double(flow.playbackDriftPpm)))"
            + " | \(flow.playbackUnderruns), \(flow.playbackSamplesSkipped) | \(room.jumps.count)")
      }
      let heard = Loudness.levels(microphone.stop(), of: Self.rate)
      let left = Loudness.levels(Array(edge.voice.samples[start...]), of: Self.rate)
      for (second, (before, after)) in zip(heard, left).enumerated() {
        print(
          "| \(second + 1) | \(Self.rounded(before)) | \(Self.rounded(after)) "
            + "| \(Self.rounded(before - after)) | \(told[min(second, told.count - 1)]) |")
      }
      let reductions = zip(heard, left).dropFirst(3).map { $0 - $1 }
      print("\nFrom the 4th second on: least \(Self.rounded(reductions.min() ?? 0)) dB.")
    }
  }

  /// Prints the latency from the mouth to the processed voice, and its parts.
  func latency() async throws {
    print("\n### Mouth to processed voice, 10 ms x 4 periods, server on the same machine\n")
    print("| capture, ms | server, ms | processing, ms | together, ms |")
    print("|---|---|---|---|")
    try await withCall { edge, _, room in
      room.say(voices.nearEnd)
      for _ in 0..<5 {
        try await sleep(2)
        let latency = try await edge.status().latency
        print(
          "| \(Self.rounded(Double(latency.captureMs))) | \(Self.rounded(Double(latency.serverMs))) "
            + "| \(Self.rounded(Double(latency.processingMs))) "
            + "| \(Self.rounded(Double(latency.totalMs))) |")
      }
      let heard = try await acousticLatency(edge, room)
      print(
        "\nA click in the room is in the FIFO \(Self.rounded(heard)) ms after it was written to")
      print("the sound server, whose own buffers (20 ms and a fragment) are in that.")
    }
  }

  /// Returns the shortest of ten times, in ms, from writing a click to its arrival.
  private func acousticLatency(_ edge: RunningEdge, _ room: RoomSimulator) async throws -> Double {
    var least = Double.infinity
    for _ in 0..<10 {
      let click = (0..<480).map { index in Float(0.5 * (index % 24 < 12 ? 1.0 : -1.0)) }
      let before = edge.voice.samples.count
      let start = ContinuousClock.now
      room.say(click)
      while ContinuousClock.now - start < .seconds(1) {
        let samples = edge.voice.samples
        if samples[before...].contains(where: { abs($0) > 0.02 }) { break }
        try await Task.sleep(for: .milliseconds(1))
      }
      least = min(least, (ContinuousClock.now - start) / .milliseconds(1))
      try await sleep(0.5)
    }
    return least
  }
}
