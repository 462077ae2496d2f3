internal import Foundation
public import SwiftProtobuf

extension Message {
  /// Replaces the fields that a mask names by those of `update`, as https://google.aip.dev/134
  /// describes. A named field that the update does not set is cleared.
  public mutating func replace(from update: Self, mask: Google_Protobuf_FieldMask) throws {
    // SwiftProtobuf's own merge keeps a message that the source does not set.
    self = try clearing(mask.paths)
    try merge(from: update, fieldMask: mask)
  }

  private func clearing(_ paths: [String]) throws -> Self {
    var options = JSONEncodingOptions()
    options.preserveProtoFieldNames = true
    let tree = try JSONSerialization.jsonObject(with: jsonUTF8Data(options: options))
    let kept = paths.reduce(tree) { pruned($0, $1.split(separator: ".")[...]) }
    return try Self(jsonUTF8Data: JSONSerialization.data(withJSONObject: kept))
  }
}

/// Returns a tree of JSON objects without the value at a path.
private func pruned(_ tree: Any, _ path: ArraySlice<Substring>) -> Any {
  guard var object = tree as? [String: Any], let key = path.first.map(String.init) else {
    return tree
  }
  let rest = path.dropFirst()
  object[key] = rest.isEmpty ? nil : object[key].map { pruned($0, rest) }
  return object
}
