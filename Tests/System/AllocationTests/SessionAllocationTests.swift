import AnechoicAPI
import AudioCore
import BundledEngines
import CAllocationCounter
import Foundation
import SessionWire
import SwiftProtobuf
import TestAudio
import Testing
import VoiceEngines
import VoiceSessions

/// The allocations of a running session, from the bytes of a request to the bytes of a response.
struct SessionAllocationTests {
  static let settings: [SessionConfiguration] = MicMode.allCases.map { mode in
    var configuration = SessionConfiguration()
    configuration.preferredMicMode = mode
    configuration.voiceActivity.isEnabled = true
    return configuration
  }

  @Test(arguments: settings)
  func theFramePathAllocatesNothing(configuration: SessionConfiguration) throws {
    let count = try allocations(
      configuration, .s16(.hz16000), .s16(.hz16000), .s16(.hz16000))
    #expect(count == 0)
  }

  @Test(arguments: [SampleRate.hz8000, .hz16000, .hz48000])
  func theFramePathAllocatesNothingWhileItDetectsTurns(rate: SampleRate) throws {
    var configuration = SessionConfiguration()
    configuration.turns.isEnabled = true
    let count = try allocations(configuration, .s16(rate), .s16(rate), .s16(rate))
    #expect(count == 0)
  }

  @Test func theFramePathAllocatesNothingWhileItConverts() throws {
    let count = try allocations(
      SessionConfiguration(), .s16(.hz44100), .s16(.hz24000),
      AudioFormat(encoding: .f32, rate: .hz8000, channelCount: 2))
    #expect(count == 0)
  }

  @Test(arguments: [false, true])
  func theFramePathAllocatesNothingWithAllThatASessionDoes(isMuted: Bool) throws {
    var configuration = SessionConfiguration()
    configuration.voiceActivity.isEnabled = true
    configuration.voiceActivity.isFarEndEnabled = true
    configuration.ducking.isAdvanced = true
    configuration.acceptsInjection = true
    let format = AudioFormat.s16(.hz48000)
    let count = try allocations(
      configuration, .s16(.hz16000), .s16(.hz16000), .s16(.hz16000), isMuted: isMuted,
      heard: Heard(farEnd: format, otherAudio: .s16(.hz44100), playback: format))
    #expect(count == 0)
  }

  @Test func theFramePathAllocatesNothingWithAnOutputForEachConsumer() throws {
    let count = try allocations(
      SessionConfiguration(), .s16(.hz48000), .s16(.hz16000), .s16(.hz48000),
      heard: Heard(recognizer: .s16(.hz16000), raw: .s16(.hz44100)))
    #expect(count == 0)
  }

  /// The first stall makes the queues grow. The second stall is counted.
  @Test func theFramePathAllocatesNothingWhileABacklogIsReadAway() throws {
    let format = AudioFormat.s16(.hz48000)
    let count = try allocations(
      SessionConfiguration(), .s16(.hz16000), .s16(.hz16000), .s16(.hz16000),
      heard: Heard(
        farEnd: format, otherAudio: .s16(.hz44100), playback: format,
        stalls: [20..<60, 240..<280]))
    #expect(count == 0)
  }

  @Test func theFramePathAllocatesNothingWithHeadphonesAndAnInterruption() throws {
    let headphones = AudioRoute(output: AudioPort(id: "headset", isHeadphones: true))
    let count = try allocations(
      SessionConfiguration(), .s16(.hz16000), .s16(.hz16000), .s16(.hz16000),
      reports: [
        .route(RouteChange(reason: .newDevice, current: headphones)),
        .interruption(.began(.deviceBusy)),
      ])
    #expect(count == 0)
  }

  /// Records the allocations that the frame path avoids. This is not a promise.
  @Test func swiftProtobufWouldAllocateForEachMessage() throws {
    let request = try requests(.s16(.hz16000), .s16(.hz16000))[0]
    allocation_counter_start()
    let decoded = try Anechoic_V1_ProcessRequest(serializedBytes: request)
    let decoding = allocation_counter_stop()
    allocation_counter_start()
    var response = Anechoic_V1_ProcessResponse()
    response.audio.processed.samples = decoded.audio.microphone.samples
    response.audio.frames.append(Anechoic_V1_FrameInfo())
    let encoded: [UInt8] = try response.serializedBytes()
    let encoding = allocation_counter_stop()
    print("allocations of SwiftProtobuf a frame: \(decoding) to decode, \(encoding) to encode")
    #expect(decoding > 0 && encoding > 0 && !encoded.isEmpty)
  }

  private func allocations(
    _ configuration: SessionConfiguration, _ microphone: AudioFormat, _ reference: AudioFormat,
    _ processed: AudioFormat, isMuted: Bool = false, heard: Heard? = nil,
    reports: [DeviceReport] = []
  ) throws -> Int64 {
    var setup = SessionSetup(
      configuration: configuration, microphone: microphone, reference: reference,
      processed: processed)
    setup.startsMuted = isMuted
    setup.farEnd = heard?.farEnd
    setup.otherAudio = heard?.otherAudio
    setup.playback = heard?.playback
    setup.recognizer = heard?.recognizer
    setup.raw = heard?.raw
    let session = try VoiceSession(setup, engine: EngineCatalog.bundled.defaultEngine)
    let sink = DiscardingSink()
    for report in reports { session.submit(report, sink: sink) }
    let requests = try requests(microphone, reference, heard)
    func append(_ chunk: AudioRequest.Chunk?, _ input: InputKind) throws {
      guard let chunk else { return }
      try session.append(
        chunk.samples, to: input, firstSample: nil, gap: .unspecified, sink: sink)
    }
    func run(_ request: [UInt8]) throws {
      try request.withUnsafeBytes { bytes in
        guard let audio = AudioRequest(bytes) else { return }
        try append(audio.reference, .reference)
        try append(audio.farEnd, .farEnd)
        try append(audio.otherAudio, .otherAudio)
        try append(audio.microphone, .microphone)
        session.process(sink: sink)
      }
    }
    // The measured frames have no change of voice, because events may allocate.
    var index = 0
    while index < 200 {
      try run(requests[index])
      index += 1
    }
    allocation_counter_start()
    while index < requests.count {
      try run(requests[index])
      index += 1
    }
    let count = allocation_counter_stop()
    #expect(sink.chunkCount == requests.count)
    return count
  }

  private func requests(
    _ microphone: AudioFormat, _ reference: AudioFormat, _ heard: Heard? = nil
  ) throws -> [[UInt8]] {
    try (0..<400).map { frame in
      func samples(_ format: AudioFormat, seed: UInt32, frames: Int = 1) -> Data {
        let noise = Signals.noise(
          frames * format.rate.samplesPerFrame, amplitude: 0.05, seed: seed)
        return Data(encode([noise], format.encoding))
      }
      return try Anechoic_V1_ProcessRequest.with {
        $0.audio.microphone.samples = samples(microphone, seed: UInt32(frame))
        $0.audio.reference.samples = samples(reference, seed: UInt32(frame + 1000))
        guard let heard, !heard.stalls.contains(where: { $0.contains(frame) }) else { return }
        let late = heard.stalls.first { $0.upperBound == frame }?.count ?? 0
        if let farEnd = heard.farEnd {
          $0.audio.farEnd.samples = samples(farEnd, seed: UInt32(frame + 2000), frames: 1 + late)
        }
        if let otherAudio = heard.otherAudio {
          $0.audio.otherAudio.samples = samples(
            otherAudio, seed: UInt32(frame + 3000), frames: 1 + late)
        }
      }.serializedBytes()
    }
  }
}

/// The audio of a session, and the way in which it arrives.
private struct Heard {
  var farEnd: AudioFormat?
  var otherAudio: AudioFormat?
  var playback: AudioFormat?
  var recognizer: AudioFormat?
  var raw: AudioFormat?
  /// The frames that arrive only after a stall.
  var stalls: [Range<Int>] = []
}

/// A sink that encodes the output as the server does, and discards it.
private final class DiscardingSink: SessionSink {
  var chunkCount = 0
  private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)

  deinit { bytes.deallocate() }

  func emit(_ chunk: OutputChunk) {
    chunkCount += 1
    AudioResponse(chunk).write(to: bytes)
  }

  func emit(_ event: SessionEvent) {}
  func emit(_ result: ControlResult) {}
  func emit(_ statistics: SessionStatistics) {}
}

extension AudioFormat {
  fileprivate static func s16(_ rate: SampleRate) -> AudioFormat {
    AudioFormat(encoding: .s16, rate: rate, channelCount: 1)
  }
}
