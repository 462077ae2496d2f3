internal import AnechoicAPI
internal import EdgeRig
internal import Foundation
internal import SoundRig
internal import SwiftProtobuf

extension EdgeBench {
  /// The number of seconds at the start of a call that are not measured.
  private static let settling = 5

  /// Prints the echo reduction while the clocks of microphone and loudspeaker differ and the far
  /// end talks. A call lasts as many seconds as ANECHOIC_DRIFT says, or 60. A call without drift
  /// serves as the comparison.
  func drift() async throws {
    let seconds = ProcessInfo.processInfo.environment["ANECHOIC_DRIFT"].flatMap(Int.init) ?? 60
    print("\n### Capture clock against playback clock (\(seconds) s each way, 60 s without)\n")
    print(
      "| clock, ppm | microphone, dBFS | reduction, dB: mean, least | below 25, 30 dB in seconds | drift told, ppm "
        + "| buffer, ms | underruns | skipped, samples | lost, frames | largest step, dB "
        + "| agent, % of a core | the room's own jumps | any of these in seconds |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    var withoutDrift = 0.0
    for (partsPerMillion, seconds) in [(0.0, 60), (500, seconds), (-500, seconds)] {
      try await withCall(captureClock: 1 + partsPerMillion * 1e-6) { edge, rig, room in
        let call = try await driftingCall(edge, rig, room, seconds: seconds)
        if partsPerMillion == 0 { withoutDrift = call.largestStep }
        let step = 20 * log10(call.largestStep / withoutDrift)
        let jumps = room.jumps.map { Self.milliseconds($0) }.joined(separator: ", ")
        print(
          "| \(Int(partsPerMillion)) \(call.row(step: step, from: Self.settling)) | \(jumps) "
            + "| \(Self.list(call.disturbed)) |")
      }
    }
  }

  private func driftingCall(
    _ edge: RunningEdge, _ rig: SoundRig, _ room: RoomSimulator, seconds: Int
  ) async throws -> DriftingCall {
    edge.farEnd.play(voices.farEnd, isRepeated: true)
    try await sleep(Double(Self.settling))
    var call = DriftingCall(flow: try await edge.status().flow)
    let microphone = try rig.record(from: "micbus.monitor")
    let loudspeaker = try rig.record(from: "spk.monitor")
    let start = edge.voice.count(at: .now)
    let (begin, used) = (ContinuousClock.now, processorTime(edge.agentIdentifier))
    for second in Self.settling..<seconds {
      try await sleep(1)
      if let status = try? await edge.status() {
        call.record(status, jumps: room.jumps.count, in: second)
      }
    }
    call.processorShare =
      (processorTime(edge.agentIdentifier) - used) / ((.now - begin) / .seconds(1))
    let left = Loudness.levels(Array(edge.voice.samples[start...]), of: Self.rate)
    call.echo = Array(zip(Loudness.levels(microphone.stop(), of: Self.rate), left))
    let played = loudspeaker.stop()
    call.largestStep = Double(zip(played, played.dropFirst()).map { abs($1 - $0) }.max() ?? 0)
    return call
  }

  /// Returns a list of seconds as text.
  fileprivate static func list(_ seconds: [Int]) -> String {
    seconds.isEmpty ? "none" : seconds.map { "\($0)" }.joined(separator: " ")
  }

  /// Returns the processor time of all threads of a process in seconds.
  private func processorTime(_ process: Int32) -> Double {
    let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
    // Takes the fields after the name of the program, because the name may contain spaces.
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    let ticks = [11, 12].compactMap { fields.indices.contains($0) ? Double(fields[$0]) : nil }
    return ticks.reduce(0, +) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}

/// The measurements of a call whose clocks differ.
private struct DriftingCall {
  let flow: Anechoic_V1_EdgeStatus.Flow
  /// The level of the echo in each second, in dBFS, at the microphone and in the processed voice.
  var echo: [(before: Double, after: Double)] = []
  var largestStep = 0.0
  /// The share of one core that the agent used.
  var processorShare = 0.0
  /// The seconds in which the playback had an underrun or skipped samples, or the delay of the
  /// simulated room jumped.
  private(set) var disturbed: [Int] = []
  private var last = Anechoic_V1_EdgeStatus.Flow()
  private var lastCounts: [UInt64]?
  private var drifts: [Float] = []
  private var buffers: [Float] = []

  /// Creates measurements. `flow` contains the agent's counters after the first seconds of the
  /// call.
  init(flow: Anechoic_V1_EdgeStatus.Flow) { self.flow = flow }

  mutating func record(_ status: Anechoic_V1_EdgeStatus, jumps: Int, in second: Int) {
    let counts = [status.flow.playbackUnderruns, status.flow.playbackSamplesSkipped, UInt64(jumps)]
    if counts != lastCounts, lastCounts != nil { disturbed.append(second) }
    lastCounts = counts
    last = status.flow
    drifts.append(last.playbackDriftPpm)
    buffers.append(last.playbackBufferMs)
  }

  /// Returns the columns between the clock's and the room's.
  func row(step: Double, from first: Int) -> String {
    let reductions = echo.map { $0.before - $0.after }
    let level = echo.map(\.before).reduce(0, +) / Double(max(1, echo.count))
    let mean = reductions.reduce(0, +) / Double(max(1, reductions.count))
    let weak = [25.0, 30].map { limit in
      EdgeBench.list(reductions.indices.filter { reductions[$0] < limit }.map { $0 + first })
    }
    let lost =
      last.framesDropped + last.framesConcealed + last.framesUnsent
      - (flow.framesDropped + flow.framesConcealed + flow.framesUnsent)
    return [
      "", EdgeBench.rounded(level),
      "\(EdgeBench.rounded(mean)), \(EdgeBench.rounded(reductions.min() ?? 0))",
      weak.joined(separator: ", "), range(drifts.suffix(drifts.count / 2)), range(buffers),
      "\(last.playbackUnderruns - flow.playbackUnderruns)",
      "\(last.playbackSamplesSkipped - flow.playbackSamplesSkipped)", "\(lost)",
      EdgeBench.rounded(step), EdgeBench.rounded(100 * processorShare),
    ].joined(separator: " | ")
  }

  private func range(_ values: some Collection<Float>) -> String {
    "\(EdgeBench.rounded(Double(values.min() ?? 0))) to \(EdgeBench.rounded(Double(values.max() ?? 0)))"
  }
}
