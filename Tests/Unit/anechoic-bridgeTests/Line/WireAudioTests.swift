import AudioCodecs
import Foundation
import Testing

@testable import anechoic_bridge

/// The encodings of sound in messages.
struct WireAudioTests {
  private static let samples = (0..<300).map { Int16($0 * 211 % 30_000 - 15_000) }

  private static func decode(_ text: String) -> [Int16]? {
    var half: UInt8?
    return WireAudio.pcm16(rate: 8000).samples(text, after: &half)
  }

  /// Ways in which programs write base64.
  @Test func textsOfOtherProgramsAreRead() {
    let text = WireAudio.pcm16(rate: 8000).text(Self.samples)
    let lines = Data(
      Self.samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] })
    let broken = lines.base64EncodedString(options: [.lineLength76Characters])
    #expect(broken != text && Self.decode(broken) == Self.samples)
    let url = text.replacing("+", with: "-").replacing("/", with: "_")
    #expect(url != text && Self.decode(url) == Self.samples)
    #expect(Self.decode("AQACAA==\n") == [1, 2])
    #expect(Self.decode("AQACAA") == [1, 2])
  }

  @Test(arguments: ["A", "AQAC!A==", "\u{e9}AAA"])
  func textsThatAreNoSoundAreRefused(text: String) { #expect(Self.decode(text) == nil) }

  @Test(arguments: ["audio/x-mulaw;=", "audio/x-mulaw;rate", "audio/x-mulaw;;rate=", "/", ";"])
  func aNameThatIsCutOffEndsNothing(name: String) {
    let format = WireAudio(encoding: name)
    #expect(format == (name.hasPrefix("audio") ? .telephone(.muLaw) : nil))
  }
}
