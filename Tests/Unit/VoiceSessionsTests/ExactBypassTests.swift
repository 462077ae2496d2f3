import AudioCore
import TestAudio
import Testing

@testable import VoiceSessions

/// Bypass at sample rates that no engine has: the output is the microphone, not its conversion.
struct ExactBypassTests {
  private static let rates: [SampleRate] = [.hz44100, .hz24000]

  /// Returns the output of a bypassed session, and its latency in bytes. Processing begins at a sample.
  private func output(
    of microphone: [UInt8], _ format: AudioFormat, until sample: Int64? = nil
  ) throws -> (bytes: [UInt8], latency: Int) {
    var setup = SessionSetup(microphone: format)
    setup.configuration.voiceProcessing.isBypassed = true
    let run = try SessionRun(setup)
    if let sample {
      run.session.submit(
        SessionControl(
          id: 1, atSample: sample, by: .mediaClient,
          .edit { $0.voiceProcessing.isBypassed = false }), sink: run.sink)
    }
    try run.send(microphone: microphone, in: 882 * format.channelCount)
    run.finish()
    let seconds = run.session.delays.processed / .seconds(1)
    let latency = Int((seconds * Double(format.rate.hertz)).rounded())
    return (run.sink.processed, latency * format.bytesPerSampleFrame)
  }

  @Test(arguments: rates, [1, 2])
  func everySampleOfTheMicrophoneComesOut(rate: SampleRate, channels: Int) throws {
    let planes = (0..<channels).map { Signals.noise(rate.hertz, seed: UInt32($0 + 1)) }
    let microphone = encode(planes, .s16)
    let format = AudioFormat(encoding: .s16, rate: rate, channelCount: channels)
    let (bytes, latency) = try output(of: microphone, format)
    #expect(bytes.count == microphone.count)
    #expect(bytes.dropFirst(latency).elementsEqual(microphone.dropLast(latency)))
  }

  @Test(arguments: rates)
  func itEndsAtTheSampleOfAControl(rate: SampleRate) throws {
    let microphone = encode([Signals.noise(2 * rate.hertz)], .s16)
    let format = AudioFormat(encoding: .s16, rate: rate, channelCount: 1)
    let sample = rate.hertz + 7
    let (bytes, latency) = try output(of: microphone, format, until: Int64(sample))
    let exact = zip(bytes.dropFirst(latency), microphone).prefix { $0 == $1 }.count
    #expect((2 * sample..<2 * sample + 40).contains(exact), "\(exact) bytes for \(2 * sample)")
  }
}
