import AudioCore
import Foundation
import Testing

@testable import SpatialAudio

/// The stored form of a listener's responses.
struct MeasuredResponsesTests {
  /// The responses of the generic file, as a listener would upload it.
  private static let own: MeasuredResponses = {
    guard
      let file = try? [UInt8](
        Data(contentsOf: URL(fileURLWithPath: HeadRelatedSet.genericPath))),
      let responses = try? file.withUnsafeBytes({ try MeasuredResponses(sofa: $0) })
    else { fatalError("\(HeadRelatedSet.genericPath) cannot be read") }
    return responses
  }()

  @Test func theStoredFormIsReadAgain() throws {
    let encoded = try #require(Self.own.encoded())
    let read = try MeasuredResponses(encoded: encoded)
    #expect(read.encoded() == encoded)
    #expect(read.directionCount == Self.own.directionCount && read.length == Self.own.length)
  }

  @Test func anUploadedFileRendersTheBitsOfTheFileItself() throws {
    let set = try HeadRelatedSet(Self.own, rate: .hz48000)
    #expect(try set.digest == HeadRelatedSet.generic(rate: .hz48000).digest)
    #expect(set.digest.count == 64)
  }

  @Test(arguments: SampleRate.allCases)
  func itIsConvertedToEveryRate(rate: SampleRate) throws {
    let set = try HeadRelatedSet(Self.own, rate: rate)
    let generic = try HeadRelatedSet.generic(rate: rate)
    for azimuth in stride(from: Float(0), to: 360, by: 30) {
      let place = set.place(of: Placement(azimuth: azimuth, elevation: 0, distance: 1).vector)
      let (own, other) = (
        set.onset(place, ear: 0) - set.onset(place, ear: 1),
        generic.onset(place, ear: 0) - generic.onset(place, ear: 1)
      )
      #expect(abs(own - other) < 1, "\(rate.hertz) Hz, \(azimuth)°")
      let levels = set.level(place, ear: 0) / generic.level(place, ear: 0)
      #expect((0.9...1.1).contains(levels), "\(rate.hertz) Hz, \(azimuth)°")
    }
  }

  @Test func everyChangedLengthIsRefused() throws {
    let encoded = try #require(Self.own.encoded())
    for place in 0..<24 {
      var wrong = encoded
      wrong[place] ^= 0x40
      #expect(throws: SOFAError.self, "byte \(place)") { try MeasuredResponses(encoded: wrong) }
    }
    for size in [0, 7, 8, 23, 24, encoded.count - 1] {
      let short = Array(encoded.prefix(size))
      #expect(throws: SOFAError.self, "\(size) bytes") { try MeasuredResponses(encoded: short) }
    }
    #expect(throws: SOFAError.self) { try MeasuredResponses(encoded: encoded + [0]) }
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity, 1e30])
  func valuesOutOfRangeAreRefused(value: Float) throws {
    let encoded = try #require(Self.own.encoded())
    let count = Self.own.directionCount
    // A coordinate, a delay and a sample.
    for index in [0, 3 * count, 5 * count] {
      var wrong = encoded
      for byte in 0..<4 {
        wrong[24 + 4 * index + byte] = UInt8(truncatingIfNeeded: value.bitPattern >> (8 * byte))
      }
      #expect(throws: SOFAError.self, "number \(index)") { try MeasuredResponses(encoded: wrong) }
    }
  }

  @Test func aSilentResponseIsRefused() throws {
    var encoded = try #require(Self.own.encoded())
    let first = 24 + 4 * 5 * Self.own.directionCount
    for index in first..<first + 4 * Self.own.length { encoded[index] = 0 }
    #expect(throws: SOFAError.self) { try MeasuredResponses(encoded: encoded) }
  }
}
