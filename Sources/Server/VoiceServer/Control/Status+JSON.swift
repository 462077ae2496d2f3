internal import Foundation
public import GRPCTransport

extension Status {
  /// The status as a JSON object: `{"code":"NOT_FOUND","message":"…","reason":"NO_SESSION"}`. With RetryInfo,
  /// also `"retryDelay":"1.5s"`.
  public var json: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let fields = [
      "code": code.name, "message": message, "reason": reason, "retryDelay": retryDelay,
    ]
    return (try? encoder.encode(fields.filter { !$0.value.isEmpty })).map { Array($0) } ?? []
  }
}
