public import SwiftProtobuf

extension BinaryDecodingOptions {
  /// The options for the requests of clients. Unknown fields are dropped, because keeping them
  /// would cost memory and nothing reads them.
  public static var request: BinaryDecodingOptions {
    var options = BinaryDecodingOptions()
    options.discardUnknownFields = true
    return options
  }
}
