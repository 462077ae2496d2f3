internal import AcousticSimulator
internal import Alignment
internal import AudioCore
internal import Foundation

extension Tables {
  func cost() throws {
    print("### Cost of the aligner in µs per frame, 60 s\n")
    print("| drift ppm | mean | median | 99 % | largest |\n|---|---|---|---|---|")
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
    var times: [Double] = []
    for frame in 0..<recording.microphone.count / rate.samplesPerFrame {
      input.fill(recording.microphone, frame * rate.samplesPerFrame)
      played.fill(recording.reference, frame * rate.samplesPerFrame)
      let begin = processorTime()
      _ = aligner.process(microphone: input.frame, reference: played.frame, into: output.frame)
      times.append(processorTime() - begin)
    }
    // What the clock itself takes.
    let begin = processorTime()
    for _ in 0..<999 { _ = processorTime() }
    let clock = (processorTime() - begin) / 1000
    let sorted = times.map { $0 - clock }.sorted()
    row([
      text(drift), text(sorted.reduce(0, +) / Double(times.count)), text(sorted[sorted.count / 2]),
      text(sorted[sorted.count * 99 / 100]), text(sorted.last),
    ])
  }

  /// Of this thread, in microseconds.
  private func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
  }
}
