import AnechoicAPI
import Foundation
@testable import SessionWire
import SwiftProtobuf
import Testing

@testable import VoiceSessions

/// The reader and the writer of the frame path, compared with SwiftProtobuf.
struct AudioCodecTests {
  @Test func aPlainRequestIsReadInPlace() throws {
    let request = Anechoic_V1_ProcessRequest.with {
      $0.audio.microphone.samples = Data([1, 2, 3, 4])
      $0.audio.microphone.firstSample = 0
      $0.audio.microphone.deviceTimeNs = -5
      $0.audio.microphone.gapBefore = .muted
      $0.audio.reference.samples = Data(repeating: 7, count: 300)
      $0.audio.reference.firstSample = -9_000_000_000
    }
    let bytes: [UInt8] = try request.serializedBytes()
    try bytes.withUnsafeBytes { bytes in
      let audio = try #require(AudioRequest(bytes))
      let microphone = try #require(audio.microphone)
      let reference = try #require(audio.reference)
      #expect(microphone.samples.elementsEqual([1, 2, 3, 4]))
      #expect(microphone.firstSample == 0)
      #expect(microphone.gapBefore == .muted)
      #expect(reference.samples.elementsEqual(repeatElement(7, count: 300)))
      #expect(reference.firstSample == -9_000_000_000)
    }
  }

  @Test func anythingElseIsLeftToSwiftProtobuf() throws {
    let others: [Anechoic_V1_ProcessRequest] = [
      .with { $0.start = .init() },
      .with { $0.control.controlID = 1 },
      .init(),
    ]
    for request in others {
      let bytes: [UInt8] = try request.serializedBytes()
      let isRead = bytes.withUnsafeBytes { AudioRequest($0) != nil }
      #expect(!isRead)
    }
    // Repeated fields, unknown fields, fields out of order, and fields of another wire type.
    let odd: [[UInt8]] = [
      [0x0a, 0x06, 0x0a, 0x01, 0x00, 0x0a, 0x01, 0x00], [0x0a, 0x04, 0x0a, 0x02, 0x28, 0x01],
      [0x0a, 0x02, 0x08, 0x01], [0x0a, 0x7f], [0x0a], [0x08, 0x01], [0xff, 0xff],
      [0x0a, 0x00, 0x0a, 0x00],
    ]
    for bytes in odd {
      let isRead = bytes.withUnsafeBytes { AudioRequest($0) != nil }
      #expect(!isRead)
    }
  }

  @Test func theReaderAgreesWithSwiftProtobuf() throws {
    var generator = Seeded(state: 1)
    var agreed = 0
    for _ in 0..<20_000 {
      var bytes: [UInt8] = try Self.randomRequest(&generator).serializedBytes()
      for _ in 0..<Int.random(in: 0...2, using: &generator) where !bytes.isEmpty {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(
          in: 0...255, using: &generator)
      }
      let decoded = try? Anechoic_V1_ProcessRequest(serializedBytes: bytes)
      bytes.withUnsafeBytes { bytes in
        guard let audio = AudioRequest(bytes) else { return }
        agreed += 1
        #expect(Self.isSame(audio.microphone, decoded?.audio, \.hasMicrophone, \.microphone))
        #expect(Self.isSame(audio.reference, decoded?.audio, \.hasReference, \.reference))
        #expect(Self.isSame(audio.farEnd, decoded?.audio, \.hasFarEnd, \.farEnd))
        #expect(Self.isSame(audio.otherAudio, decoded?.audio, \.hasOtherAudio, \.otherAudio))
      }
    }
    #expect(agreed > 5_000)
  }

  @Test(arguments: [0, 1, 127, 128, 1_000_000, Int64.max])
  func theWriterAgreesWithSwiftProtobuf(firstSample: Int64) throws {
    for hasAll in [false, true] { try check(firstSample: firstSample, hasAllOutputs: hasAll) }
  }

  private func check(firstSample: Int64, hasAllOutputs: Bool) throws {
    let frames = [
      FrameInfo(speechProbability: 0, hasVoice: false, isMuted: true),
      FrameInfo(speechProbability: 0.5, hasVoice: true, isMuted: false),
      FrameInfo(speechProbability: -0.0, hasVoice: false, isMuted: false),
    ]
    for size in [2, 127, 128, 320, 16_384] {
      let samples = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
      let written = samples.withUnsafeBytes { samples in
        frames.withUnsafeBufferPointer { frames in
          let run = OutputChunk.Samples(
            bytes: samples, firstSample: firstSample, sampleCount: samples.count / 2)
          let other = hasAllOutputs ? run : nil
          let response = AudioResponse(
            OutputChunk(
              processed: run, playback: other, recognizer: other, raw: other, frames: frames))
          var bytes = [UInt8](repeating: 0xee, count: response.size)
          bytes.withUnsafeMutableBytes { response.write(to: $0) }
          return bytes
        }
      }
      let expected = Anechoic_V1_ProcessResponse.with {
        $0.audio.processed.samples = Data(samples)
        $0.audio.processed.firstSample = firstSample
        if hasAllOutputs {
          $0.audio.playback = $0.audio.processed
          $0.audio.recognizer = $0.audio.processed
          $0.audio.raw = $0.audio.processed
        }
        $0.audio.frames = frames.map { frame in
          Anechoic_V1_FrameInfo.with {
            $0.speechProbability = frame.speechProbability
            $0.voice = frame.hasVoice
            $0.muted = frame.isMuted
          }
        }
      }
      #expect(try Anechoic_V1_ProcessResponse(serializedBytes: written) == expected)
      #expect(try written == expected.serializedBytes())
    }
  }

  private static func randomRequest(
    _ generator: inout Seeded
  ) -> Anechoic_V1_ProcessRequest {
    func chunk() -> Anechoic_V1_AudioChunk {
      .with {
        let count = Int.random(in: 0...20, using: &generator)
        $0.samples = Data((0..<count).map { _ in .random(in: 0...255, using: &generator) })
        if Bool.random(using: &generator) {
          $0.firstSample = .random(in: .min ... .max, using: &generator)
        }
        if Bool.random(using: &generator) { $0.deviceTimeNs = 17 }
        $0.gapBefore = .init(rawValue: .random(in: 0...6, using: &generator)) ?? .unspecified
      }
    }
    var request = Anechoic_V1_ProcessRequest()
    request.audio = .init()
    if Bool.random(using: &generator) { request.audio.microphone = chunk() }
    if Bool.random(using: &generator) { request.audio.reference = chunk() }
    if Bool.random(using: &generator) { request.audio.farEnd = chunk() }
    if Bool.random(using: &generator) { request.audio.otherAudio = chunk() }
    return request
  }

  private static func isSame(
    _ chunk: AudioRequest.Chunk?, _ audio: Anechoic_V1_AudioInput?,
    _ isThere: KeyPath<Anechoic_V1_AudioInput, Bool>,
    _ path: KeyPath<Anechoic_V1_AudioInput, Anechoic_V1_AudioChunk>
  ) -> Bool {
    guard let audio else { return false }
    guard let chunk else { return !audio[keyPath: isThere] }
    let expected = audio[keyPath: path]
    return audio[keyPath: isThere] && chunk.samples.elementsEqual(expected.samples)
      && chunk.firstSample == (expected.hasFirstSample ? expected.firstSample : nil)
      && chunk.gapBefore == expected.gapBefore
  }
}

/// Marsaglia's xorshift. Produces the same numbers on every run.
private struct Seeded: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
