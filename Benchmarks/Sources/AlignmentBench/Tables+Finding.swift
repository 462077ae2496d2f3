internal import AcousticSimulator
internal import AudioCore
internal import EchoAlignment

extension Tables {
  /// Prints how soon and how reliably a lag is found in difficult cases.
  func finding() throws {
    title(
      "Finding a lag of 250 ms, 20 s, aligner alone", "How soon and how surely.",
      columns: [
        "echo return loss dB", "noise dBFS", "near end", "found at s", "moves", "largest error ms",
      ])
    for loss in [0, 12, 24, 36] as [Float] {
      for noise in [-75, -55, -45] as [Float] {
        for isDoubleTalk in [false, true] { try findingRow(loss, noise, isDoubleTalk) }
      }
    }
    for noise in [-75, -55, -45] as [Float] { try findingRow(200, noise, true) }
    print("")
  }

  private func findingRow(_ loss: Float, _ noise: Float, _ isDoubleTalk: Bool) throws {
    var scene = self.scene
    scene.lag = 0.25
    scene.echoReturnLoss = loss
    scene.noiseLevel = noise
    let recording = scene.record(
      farEnd: far(seconds: 20), near: isDoubleTalk ? voices.near : [])
    var aligner = try ReferenceAligner(
      microphone: rate, reference: rate, referenceChannelCount: 1)
    let (input, played, output) = (FrameBox(rate), FrameBox(rate), FrameBox(rate))
    var found: Double?
    var (moves, error) = (0, 0.0)
    for frame in 0..<recording.microphone.count / rate.samplesPerFrame {
      input.fill(recording.microphone, frame * rate.samplesPerFrame)
      played.fill(recording.reference, frame * rate.samplesPerFrame)
      let change = aligner.process(
        microphone: input.frame, reference: played.frame, into: output.frame)
      moves += change == .none ? 0 : 1
      guard let delay = aligner.status.echoDelay else { continue }
      found = found ?? Double(frame) / 100
      error = max(error, abs(delay / .milliseconds(1) - 250))
    }
    row([
      loss > 100 ? "no echo" : text(loss), text(noise),
      isDoubleTalk ? "talks all the time" : "silent", text(found),
      "\(moves)", text(error),
    ])
  }
}
