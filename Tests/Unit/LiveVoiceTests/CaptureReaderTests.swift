import Testing

@testable import LiveVoice

/// The captured sound on its way to the server.
struct CaptureReaderTests {
  private static func sound(referenceChannels: Int = 0) -> CapturedSound {
    CapturedSound(capacity: 48000, microphoneChannels: 1, referenceChannels: referenceChannels)
  }

  private static func push(_ count: Int, to sound: CapturedSound, reference: [Float]? = nil) {
    let first = sound.count
    let samples = (0..<count).map { Float(first + Int64($0)) }
    samples.withUnsafeBufferPointer { samples in
      guard let reference else { return sound.append(samples) }
      reference.withUnsafeBufferPointer { sound.append(samples, $0) }
    }
  }

  @Test func aSessionBeginsWithTheSampleThatComesNext() {
    let sound = Self.sound()
    Self.push(500, to: sound)
    var reader = CaptureReader(sound, rate: 16000)
    #expect(reader.position == 500 && reader.take() == nil)
    Self.push(159, to: sound)
    #expect(reader.take() == nil)
    Self.push(11, to: sound)
    let piece = reader.take()
    #expect(piece?.first == 500 && piece?.microphone == (500..<670).map(Float.init))
  }

  @Test func piecesHaveAtMost100MillisecondsAndPacketsAlways20() {
    let sound = Self.sound()
    var (plain, packets) = (
      CaptureReader(sound, rate: 16000), CaptureReader(sound, rate: 16000, framesPerPacket: 2)
    )
    Self.push(2000, to: sound)
    #expect(plain.take()?.microphone.count == 1600 && plain.take()?.microphone.count == 400)
    var sizes: [Int] = []
    while let piece = packets.take() { sizes.append(piece.microphone.count) }
    #expect(sizes == Array(repeating: 320, count: 6))
  }

  @Test func soundThatWaitsForMoreThanTwoSecondsIsLeftOut() {
    let sound = Self.sound()
    var reader = CaptureReader(sound, rate: 16000)
    Self.push(100_000, to: sound)
    let piece = reader.take()
    #expect(piece?.first == 68_000 && piece?.microphone.first == 68_000)
  }

  @Test func aReferenceThatIsMissingIsSilent() {
    let sound = Self.sound(referenceChannels: 2)
    var reader = CaptureReader(sound, rate: 16000)
    Self.push(160, to: sound, reference: [1, 2, .nan, 4])
    let reference = reader.take()?.reference
    #expect(reference?.count == 320 && reference?.prefix(5) == [1, 2, 0, 4, 0])
  }
}
