import AnechoicAPI
import Foundation
import SwiftProtobuf
import Testing

struct RequestSizeTests {
  private static let response = Data(repeating: 1, count: 100 << 10)

  /// A start with a response that is larger than a request may be, after this many empty fields.
  private static func start(emptyFields: Int = 0, emptyFieldsOfStart: Int = 0) throws -> Data {
    let hint = Anechoic_V1_Start.with { $0.echoPathHint.response = response }
    let start: Data = emptyField(15, emptyFieldsOfStart) + (try hint.serializedBytes())
    var size = UInt64(start.count)
    var message = emptyField(15, emptyFields) + [2 << 3 | 2]
    repeat {
      message.append(UInt8(size & 0x7f) | (size > 0x7f ? 0x80 : 0))
      size >>= 7
    } while size > 0
    return message + start
  }

  private static func emptyField(_ number: UInt8, _ count: Int) -> Data {
    Data([number << 3 | 2, 0]).repeated(count)
  }

  private static func isDecodable(_ message: Data) -> Bool {
    message.withUnsafeBytes(RequestSize.isDecodable)
  }

  @Test func theResponseOfAStartComesOnTop() throws {
    let message = try Self.start(emptyFields: 4000, emptyFieldsOfStart: 4000)
    #expect(message.withUnsafeBytes(RequestSize.responseSize) == Self.response.count)
    #expect(Self.isDecodable(message))
  }

  /// The search for a response would take as long as decoding if it looked at every field.
  @Test func theResponseIsNotLookedForBehindCountlessFields() throws {
    for message in [
      try Self.start(emptyFields: 17_000), try Self.start(emptyFieldsOfStart: 17_000),
      try Self.start(emptyFields: 9000, emptyFieldsOfStart: 9000),
    ] {
      #expect(message.withUnsafeBytes(RequestSize.responseSize) == 0)
      #expect(!Self.isDecodable(message))
    }
  }
}

extension Data {
  fileprivate func repeated(_ count: Int) -> Data {
    (0..<count).reduce(into: Data()) { result, _ in result += self }
  }
}
