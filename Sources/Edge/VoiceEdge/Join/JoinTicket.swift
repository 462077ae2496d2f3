internal import AnechoicAPI
internal import Foundation
internal import SessionWire
internal import VoiceClient

/// The right to play a session's playback: the id of the session, and its secret. As text,
/// `SESSION-ID:SECRET` with the secret in hexadecimal digits.
struct JoinTicket: Sendable, Equatable {
  private static let longestSecret = 64

  var session: String
  var secret: Data

  /// The ticket of a session that has started, or nil if no other device can join it.
  init?(_ started: Anechoic_V1_Started) {
    guard !started.joinToken.isEmpty else { return nil }
    session = started.sessionID
    secret = started.joinToken
  }

  /// Reads a ticket. Returns nil if the text is not one.
  init?(_ text: String) {
    let parts = text.trimmingCharacters(in: .whitespacesAndNewlines).split(separator: ":")
    guard parts.count == 2, Identifier.isValid(String(parts[0])) else { return nil }
    let digits = parts[1].utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count.isMultiple(of: 2), (2...(2 * Self.longestSecret)).contains(digits.count)
    else { return nil }
    secret = Data()
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index], let low = digits[index + 1] else { return nil }
      secret.append(UInt8(high << 4 | low))
    }
    session = String(parts[0])
  }

  var text: String { "\(session):" + secret.map { String(format: "%02x", $0) }.joined() }
}
