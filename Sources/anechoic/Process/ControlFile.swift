internal import AnechoicAPI
internal import AudioCore
internal import CommandLineSupport
internal import Foundation
internal import SwiftProtobuf

/// Controls and device reports with their times, from a file of JSON lines.
///
/// A line is `{"at": SECONDS, FIELD: ...}`, where FIELD is one of the oneof in
/// `anechoic.v1.Control`, or `device_report`. The number of its line is a control's id.
struct ControlFile {
  /// What is sent at a sample of the microphone.
  struct Entry {
    enum Request {
      case control(Anechoic_V1_Control)
      case deviceReport(Anechoic_V1_DeviceReport)
    }

    let sample: Int64
    let line: Int
    var request: Request
  }

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

  /// The entries by time, at samples of a microphone of this rate.
  func entries(rate: SampleRate) throws(CommandFailure) -> [Entry] {
    var entries: [Entry] = []
    for line in lines {
      do {
        entries.append(try Self.entry(line.text, line: line.number, rate: rate))
      } catch {
        throw CommandFailure("\(path):\(line.number): \(error.description)")
      }
    }
    return entries.sorted { ($0.sample, $0.line) < ($1.sample, $1.line) }
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

  private static func entry(
    _ line: Substring, line number: Int, rate: SampleRate
  ) throws(Malformed) -> Entry {
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
    let sample = Int64((seconds * Double(rate.hertz)).rounded())
    if members["device_report"] != nil || members["deviceReport"] != nil {
      let request: Anechoic_V1_ProcessRequest = try message(members)
      return Entry(sample: sample, line: number, request: .deviceReport(request.deviceReport))
    }
    var control: Anechoic_V1_Control = try message(members)
    guard control.control != nil else {
      throw Malformed(description: "there is no control beside \"at\"")
    }
    control.atSample = sample
    control.controlID = UInt64(number)
    return Entry(sample: sample, line: number, request: .control(control))
  }

  private static func message<Result: Message>(
    _ members: [String: Any]
  ) throws(Malformed) -> Result {
    do {
      return try Result(jsonUTF8Data: JSONSerialization.data(withJSONObject: members))
    } catch let error as JSONDecodingError {
      throw Malformed(description: error.problem)
    } catch {
      throw Malformed(description: "\(error)")
    }
  }
}
