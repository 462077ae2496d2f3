internal import AcousticSimulator
internal import AudioCore
internal import EchoAlignment
internal import Foundation
internal import VoiceEngines
internal import VoiceSessions
internal import WebRTCEngine

extension Tables {
  func cost() throws {
    title(
      "Cost of the aligner, 60 s",
      "Processor time in µs per frame; that of the engine with the standard mode beside it.",
      columns: ["drift ppm", "mean", "median", "99 %", "largest", "engine mean"])
    for drift in [0.0, 100] { try costRow(drift) }
    print("")
  }

  private func costRow(_ drift: Double) throws {
    var scene = self.scene
    scene.lag = 0.3
    scene.driftPPM = drift
    let recording = scene.record(farEnd: far(seconds: 60))
    var aligner = try ReferenceAligner(
      microphone: rate, reference: rate, referenceChannelCount: 1)
    let (input, played, output) = (FrameBox(rate), FrameBox(rate), FrameBox(rate))
    let engine = try WebRTCVoiceEngine(
      format: EngineFormat(
        rate: rate, channelCount: 1, reference: .init(rate: rate, channelCount: 1)),
      settings: SessionConfiguration().engineSettings(for: .standard))
    var times: [Double] = []
    var engineTimes: [Double] = []
    for frame in 0..<recording.microphone.count / rate.samplesPerFrame {
      input.fill(recording.microphone, frame * rate.samplesPerFrame)
      played.fill(recording.reference, frame * rate.samplesPerFrame)
      let begin = processorTime()
      _ = aligner.process(microphone: input.frame, reference: played.frame, into: output.frame)
      let middle = processorTime()
      _ = engine.process(
        microphone: input.frame, reference: output.frame, conditions: EchoConditions(),
        into: played.frame)
      times.append(middle - begin)
      engineTimes.append(processorTime() - middle)
    }
    // The cost of reading the clock is subtracted.
    let begin = processorTime()
    for _ in 0..<999 { _ = processorTime() }
    let clock = (processorTime() - begin) / 1000
    let sorted = times.map { $0 - clock }.sorted()
    func mean(_ times: [Double]) -> Double { times.reduce(0, +) / Double(times.count) }
    row([
      text(drift), text(mean(sorted)), text(sorted[sorted.count / 2]),
      text(sorted[sorted.count * 99 / 100]), text(sorted.last), text(mean(engineTimes) - clock),
    ])
  }

  /// Returns the processor time of this thread in microseconds.
  private func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
  }
}
