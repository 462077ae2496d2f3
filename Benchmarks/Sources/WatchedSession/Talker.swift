internal import AnechoicAPI
internal import Foundation
internal import VoiceClient

/// A session in real time that gets a frame every 10 ms, and another connection that mutes and
/// unmutes the session.
final class Talker: Sendable {
  let session: String
  private let stream: ProcessStream
  private let steering: SessionsClient

  init(_ address: String) async throws {
    var start = Anechoic_V1_Start()
    start.inputs.microphone.encoding = .pcmS16Le
    start.inputs.microphone.sampleRateHz = 16000
    start.inputs.microphone.channelCount = 1
    stream = try await VoiceProcessingClient(server: address).process(start)
    session = stream.started.session
    steering = SessionsClient(server: address, clientName: "benchmark")
  }

  /// Talks for a number of seconds. Returns the round trips of the frames in microseconds.
  func talk(_ seconds: Int) async throws -> [Double] {
    let frames = seconds * 100
    async let steering: Void = steer(times: seconds * 5)
    let start = ContinuousClock.now
    var audio = Anechoic_V1_AudioInput()
    audio.microphone.samples = Data(count: 320)
    var times: [Double] = []
    for frame in 0..<frames {
      try await Task.sleep(until: start + .milliseconds(10 * frame), clock: .continuous)
      let sent = ContinuousClock.now
      try await stream.send(audio)
      while let response = try await stream.receive() {
        if case .audio = response.response { break }
      }
      times.append((ContinuousClock.now - sent) / .microseconds(1))
    }
    try await steering
    return times
  }

  private func steer(times: Int) async throws {
    for index in 0..<times {
      try await Task.sleep(for: .milliseconds(200))
      _ = try await steering.setMute(session, muted: index.isMultiple(of: 2))
    }
  }
}
