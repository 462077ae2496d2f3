internal import AnechoicAPI
internal import AudioCore
internal import GRPCTransport
internal import SwiftProtobuf

/// The chirp test of the devices.
extension EdgeAgent {
  /// The time in which closed devices must open.
  private static let longestOpening = Duration.seconds(3)

  func testAudio() async throws(Status) -> Anechoic_V1_TestAudioResponse {
    voice.post { $0.chirp.count += 1 }
    defer { voice.post { $0.chirp.count -= 1 } }
    await devicesOpen()
    guard devices.microphone.record.value.isRunning, devices.loudspeaker.record.value.isRunning
    else {
      throw Status(
        .failedPrecondition, "the test needs a running microphone and a running loudspeaker")
    }
    let heard = await withCheckedContinuation {
      (continuation: CheckedContinuation<([Float], Int64)?, Never>) in
      voice.post { [controls = devices.controls] voice in
        guard !voice.chirp.isRunning else {
          return continuation.resume(returning: nil)
        }
        voice.chirp.capture = TestCapture { samples, time in
          continuation.resume(returning: (samples, time))
        }
        controls.startTest()
      }
    }
    guard let (samples, capturedAt) = heard else {
      throw Status(.aborted, "another test is running")
    }
    guard !samples.isEmpty else {
      throw Status(.unavailable, "the microphone delivered no samples")
    }
    guard let heardAt = devices.controls.testHeardAt else {
      throw Status(.unavailable, "the loudspeaker did not play")
    }
    let result = ChirpTest.analyse(
      samples, rate: configuration.audio.rate, capturedAt: capturedAt, heardAt: heardAt)
    let stats = board.status.stats
    return Anechoic_V1_TestAudioResponse.with {
      $0.levelDbfs = Float(result.level)
      $0.noiseDbfs = Float(result.noise)
      $0.heard = result.delay != nil
      if let delay = result.delay { $0.roundTripMs = Float(delay) }
      if let loss = result.echoLoss { $0.echoReturnLossDb = Float(loss) }
      if let stats, stats.echo.hasEchoReturnLossEnhancementDb {
        $0.echoReturnLossEnhancementDb = stats.echo.echoReturnLossEnhancementDb
      }
    }
  }

  /// Waits until devices that were closed have opened, with a limit.
  private func devicesOpen() async {
    let end = ContinuousClock.now + Self.longestOpening
    while [devices.microphone, devices.loudspeaker].contains(where: { $0.record.value.isClosed }),
      ContinuousClock.now < end, !Task.isCancelled
    {
      try? await Task.sleep(for: .milliseconds(20))
    }
  }
}
