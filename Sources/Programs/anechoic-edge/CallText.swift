internal import AnechoicAPI
internal import Foundation
internal import SwiftProtobuf

/// The text that shows the state of the call to people.
struct CallText {
  private let call: Anechoic_V1_EdgeCall

  init(_ call: Anechoic_V1_EdgeCall) { self.call = call }

  var line: String {
    guard call.active else { return "call         none" }
    let seconds = max(0, Int(Date.now.timeIntervalSince(call.beginTime.date)))
    return "call         for \(seconds) s: \(call.signs.map(\.words).joined(separator: ", "))"
  }
}

extension Anechoic_V1_CallSign {
  fileprivate var words: String {
    let name = program.isEmpty ? "a program" : program
    return switch kind {
    case .configuration: "the configuration says always"
    case .unseen: "nobody can see whether a program uses the voice"
    case .voiceRead: "a program reads the voice"
    case .farEnd: "the far end sounds"
    case .recording: "\(name) records"
    case .request: "\(name) asked for it"
    case .unspecified, .UNRECOGNIZED: "an unknown sign"
    }
  }
}
