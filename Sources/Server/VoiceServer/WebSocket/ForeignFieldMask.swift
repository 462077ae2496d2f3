internal import AnechoicAPI
internal import Foundation
internal import SwiftProtobuf

extension Anechoic_V1_ProcessRequest {
  /// Reads a control whose field mask names what no field can be called, such as `*`, for which protobuf's JSON
  /// has no form. The session then refuses the control, as over gRPC, and goes on. Returns nil for any other text.
  init?(foreignMask text: [UInt8]) {
    let root = try? JSONSerialization.jsonObject(with: Data(text))
    guard var request = root as? [String: Any],
      var control = request["control"] as? [String: Any],
      let (updateKey, update) = Self.value("updateConfig", "update_config", in: control),
      var update = update as? [String: Any],
      let (maskKey, mask) = Self.value("updateMask", "update_mask", in: update),
      let mask = mask as? String
    else { return nil }
    let names = mask.split(separator: ",", omittingEmptySubsequences: false)
    guard names.allSatisfy({ !$0.isEmpty && !$0.contains("_") }) else { return nil }
    update[maskKey] = nil
    control[updateKey] = update
    request["control"] = control
    guard let read = try? Self(jsonObject: request) else { return nil }
    self = read
    self.control.updateConfig.updateMask.paths = names.map(\.snakeCase)
  }

  /// Returns the value with one of two names, and its name.
  private static func value(
    _ name: String, _ other: String, in object: [String: Any]
  ) -> (key: String, value: Any)? {
    [name, other].lazy.compactMap { key in object[key].map { (key, $0) } }.first
  }
}
