import Foundation
import SwiftProtobuf
import Testing

@testable import AnechoicAPI

/// Audio in the binary messages of WebSockets.
struct BinaryAudioTests {
  private func request(_ message: [UInt8]) throws -> Anechoic_V1_ProcessRequest {
    let bytes = try message.withUnsafeBytes(BinaryAudio.request)
    return try Anechoic_V1_ProcessRequest(serializedBytes: bytes)
  }

  private func problem(_ message: [UInt8]) -> BinaryAudio.FormatError? {
    do {
      _ = try message.withUnsafeBytes(BinaryAudio.request)
      return nil
    } catch {
      return error as? BinaryAudio.FormatError
    }
  }

  private func part(
    _ stream: UInt8, _ samples: [UInt8], flags: UInt8 = 0, gap: UInt8 = 0, _ fields: [Int64] = []
  ) -> [UInt8] {
    var part = [stream, flags, gap, 0]
    part += withUnsafeBytes(of: UInt32(samples.count).littleEndian) { Array($0) }
    for field in fields { part += withUnsafeBytes(of: field.littleEndian) { Array($0) } }
    return part + samples
  }

  private func padded(_ part: [UInt8]) -> [UInt8] {
    part + [UInt8](repeating: 0, count: (8 - part.count % 8) % 8)
  }

  @Test func aPartIsAChunk() throws {
    let request = try request(part(1, [1, 2, 3, 4]))
    #expect(request.audio.microphone.samples == Data([1, 2, 3, 4]))
    #expect(!request.audio.microphone.hasFirstSample && !request.audio.microphone.hasDeviceTimeNs)
    #expect(!request.audio.hasReference)
  }

  @Test func fieldsAndPartsComeInAnyNumber() throws {
    let message =
      padded(part(1, [1, 2], flags: 3, gap: 3, [480, -5]))
      + padded(part(4, [5, 6, 7], flags: 2, [9])) + part(2, [], flags: 1, [1 << 40])
    let audio = try request(message).audio
    #expect(audio.microphone.firstSample == 480 && audio.microphone.deviceTimeNs == -5)
    #expect(audio.microphone.gapBefore == .muted)
    #expect(audio.otherAudio.samples == Data([5, 6, 7]) && audio.otherAudio.deviceTimeNs == 9)
    #expect(audio.reference.firstSample == 1 << 40 && audio.reference.samples.isEmpty)
  }

  @Test func theFramePathReadsTheRequest() throws {
    let bytes = try padded(part(1, [1, 2], flags: 1, [7])).withUnsafeBytes(BinaryAudio.request)
    bytes.withUnsafeBytes { #expect(AudioRequest($0)?.microphone?.firstSample == 7) }
  }

  @Test func messagesOfAnotherFormNameThePart() {
    #expect(problem([])?.part == 0)
    #expect(problem([1, 0, 0])?.part == 0)
    #expect(problem(part(16, []))?.problem.contains("16 is not an input") == true)
    #expect(problem(part(0, [])) != nil && problem(part(5, [])) != nil)
    #expect(problem(part(1, [], flags: 4))?.problem.contains("flags") == true)
    #expect(problem(part(1, [], gap: 6)) != nil)
    #expect(problem([1, 0, 0, 9, 0, 0, 0, 0]) != nil)
    #expect(problem(part(1, [], flags: 1)) != nil)
    #expect(problem([1, 0, 0, 0, 9, 0, 0, 0, 1])?.problem.contains("1 bytes") == true)
    #expect(problem([1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF]) != nil)
    #expect(problem(padded(part(1, [])) + part(1, []))?.part == 1)
  }

  @Test func aResponseBecomesParts() throws {
    let response = Anechoic_V1_ProcessResponse.with {
      $0.audio.processed = .with {
        $0.samples = Data([1, 2, 3])
        $0.firstSample = 960
      }
      $0.audio.playback.samples = Data([4])
      $0.audio.recognizer.samples = Data([5])
      $0.audio.raw.samples = Data([6])
      $0.audio.frames = [
        .with {
          $0.speechProbability = 0.5
          $0.voice = true
        }, .with { $0.muted = true },
      ]
    }
    let bytes: [UInt8] = try response.serializedBytes()
    let message = try #require(bytes.withUnsafeBytes(BinaryAudio.message(ofResponse:)))
    #expect(
      message
        == padded(part(16, [1, 2, 3], flags: 1, [960])) + padded(part(17, [4]))
        + padded(part(19, [5])) + padded(part(20, [6]))
        + part(18, [0, 0, 0, 0x3F, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0]))
  }

  @Test func otherResponsesAreNoAudio() throws {
    for response in [
      Anechoic_V1_ProcessResponse.with { $0.started.session = "sessions/a" },
      .with { $0.event.eventID = 3 }, Anechoic_V1_ProcessResponse(),
    ] {
      let bytes: [UInt8] = try response.serializedBytes()
      #expect(bytes.withUnsafeBytes(BinaryAudio.message(ofResponse:)) == nil)
    }
  }
}
