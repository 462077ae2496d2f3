internal import AnechoicAPI
internal import AudioCore
internal import CommandLineSupport
internal import Foundation
internal import SwiftProtobuf

/// Controls with their times, from a file of JSON lines.
///
/// A line is `{"at": SECONDS, FIELD: ...}`, where FIELD is one of the oneof in
/// `anechoic.v1.Control`. The number of its line is a control's id.
struct ControlFile {
  private let path: String
  private let lines: [(number: Int, text: Substring)]

  /// Throws where there is no such file, or no text in it.
  init(path: String) throws(CommandFailure) {
    self.path = path
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
      throw CommandFailure("\(path): cannot be read")
    }
    guard let text = String(data: data, encoding: .utf8) else {
      throw CommandFailure("\(path): is not text")
    }
    lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
      .map { (number: $0.offset + 1, text: $0.element) }
      .filter { !$0.text.allSatisfy(\.isWhitespace) }
  }

  /// The controls by time, at samples of a microphone of this rate.
  func controls(rate: SampleRate) throws(CommandFailure) -> [Anechoic_V1_Control] {
    var controls: [Anechoic_V1_Control] = []
    for line in lines {
      do {
        var control = try Self.control(line.text, rate: rate)
        control.controlID = UInt64(line.number)
        controls.append(control)
      } catch {
        throw CommandFailure("\(path):\(line.number): \(error.description)")
      }
    }
    return controls.sorted { ($0.atSample, $0.controlID) < ($1.atSample, $1.controlID) }
  }

  private struct Malformed: Error {
    let description: String
  }

  private struct Time: Decodable {
    let at: Double
  }

  /// What the time and the line's number stand for.
  private static let taken: Set = ["control_id", "controlId", "at_sample", "atSample"]
  /// In seconds; no recording is longer.
  private static let times = 0.0...1_000_000

  private static func control(
    _ line: Substring, rate: SampleRate
  ) throws(Malformed) -> Anechoic_V1_Control {
    let tree = try? JSONSerialization.jsonObject(with: Data(line.utf8))
    guard var members = tree as? [String: Any] else {
      throw Malformed(description: "is not a JSON object")
    }
    guard let seconds = try? JSONDecoder().decode(Time.self, from: Data(line.utf8)).at,
      times.contains(seconds)
    else { throw Malformed(description: "\"at\" is needed, in seconds from the start") }
    members["at"] = nil
    if let key = members.keys.sorted().first(where: { taken.contains($0) }) {
      throw Malformed(description: "\"\(key)\" is set by \"at\" and the line's number")
    }
    var control: Anechoic_V1_Control
    do {
      control = try Anechoic_V1_Control(
        jsonUTF8Data: JSONSerialization.data(withJSONObject: members))
    } catch let error as JSONDecodingError {
      throw Malformed(description: error.problem)
    } catch {
      throw Malformed(description: "\(error)")
    }
    guard control.control != nil else {
      throw Malformed(description: "there is no control beside \"at\"")
    }
    control.atSample = Int64((seconds * Double(rate.hertz)).rounded())
    return control
  }
}
