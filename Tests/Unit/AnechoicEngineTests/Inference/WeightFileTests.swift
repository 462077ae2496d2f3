import AnechoicEngine
import AudioCore
import LinuxSystem
import Testing

struct WeightFileTests {
  private static let content: [UInt8] =
    Array("ANECHOIC".utf8) + number(2) + number(2) + number(1) + Array("a".utf8) + number(2)
    + number(Float(0.5).bitPattern) + number(Float(-2).bitPattern) + number(2) + Array("bc".utf8)
    + number(0)
  private static let intact = signed(content)

  private static func signed(_ content: [UInt8]) -> [UInt8] {
    content + SHA256.digest(of: content)
  }

  fileprivate static func number(_ value: UInt32) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  private func read(_ bytes: [UInt8]) throws -> WeightFile {
    try bytes.withUnsafeBytes { try WeightFile($0) }
  }

  @Test func valuesAreFoundByName() throws {
    let file = try read(Self.intact)
    #expect(try file.values("a", count: 2) == [0.5, -2])
    #expect(try file.values("bc", count: 0) == [])
    #expect(throws: WeightFile.FormatError.self) { _ = try file.values("a", count: 3) }
    #expect(throws: WeightFile.FormatError.self) { _ = try file.values("d", count: 1) }
  }

  @Test func valuesOfHalfPrecisionAreRead() throws {
    let content =
      Array("ANECHOIC".utf8) + Self.number(2) + Self.number(1) + Self.number(1) + Array("a".utf8)
      + Self.number(1 << 31 | 3) + [0x00, 0x38, 0x00, 0xc0, 0x01, 0x00]
    let file = try read(Self.signed(content))
    #expect(try file.values("a", count: 3) == [0.5, -2, 0x1p-24])
    #expect(throws: WeightFile.FormatError.self) {
      var infinite = content
      infinite.replaceSubrange(25..<27, with: [0x00, 0x7c])
      _ = try read(Self.signed(infinite))
    }
    #expect(throws: WeightFile.FormatError.self) {
      var long = content
      long.replaceSubrange(21..<25, with: Self.number(1 << 31 | 1_000_000))
      _ = try read(Self.signed(long))
    }
  }

  @Test func aTruncatedFileIsRefused() {
    for count in 0..<Self.intact.count {
      #expect(throws: WeightFile.FormatError.self) {
        _ = try read(Array(Self.intact.prefix(count)))
      }
    }
    #expect(throws: WeightFile.FormatError.self) { _ = try read(Self.intact + [0]) }
  }

  @Test func anotherFileIsRefused() {
    for (index, byte) in [(0, UInt8(0x42)), (8, 1), (21, 0xff), (24, 0x7f)] {
      var content = Self.content
      content[index] = byte
      #expect(throws: WeightFile.FormatError.self, "byte \(index)") {
        _ = try read(Self.signed(content))
      }
    }
    var endless = Self.content
    endless.replaceSubrange(25..<29, with: Self.number(Float.nan.bitPattern))
    #expect(throws: WeightFile.FormatError.self) { _ = try read(Self.signed(endless)) }
  }

  @Test func aDamagedByteIsFound() {
    for index in Self.intact.indices {
      var bytes = Self.intact
      bytes[index] ^= 1
      #expect(throws: WeightFile.FormatError.self, "byte \(index)") { _ = try read(bytes) }
    }
  }
}
