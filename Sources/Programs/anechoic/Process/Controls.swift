internal import AnechoicAPI
internal import AudioCore
internal import CommandLineSupport
internal import Foundation
internal import SessionWire
internal import SwiftProtobuf
internal import Synchronization
internal import VoiceSessions

/// A file with controls, device reports and poses of the head, each on a line of JSON with its time.
///
/// A line is `{"at": SECONDS, FIELD: ...}`, where FIELD is a member of the oneof in
/// `anechoic.v1.Control`, `device_report` or `head_pose`. The id of a control is the number of its line.
struct ControlFile {
  /// A request that is sent at a sample of the microphone.
  struct Entry {
    enum Request {
      case control(Anechoic_V1_Control)
      case deviceReport(Anechoic_V1_DeviceReport)
      case headPose(Anechoic_V1_HeadPose)
    }

    let sample: Int64
    let line: Int
    var request: Request
  }

  /// The maximum size of a file in bytes.
  private static let longest = 64 << 20

  private let path: String
  private let lines: [(number: Int, text: Substring)]

  /// Reads the file, which may be a pipe. Throws if the file cannot be read, is longer than 64 MiB
  /// or is not text.
  init(path: String) throws(CommandError) {
    self.path = path
    let bytes = try ShortFile.read(path, title: path, atMost: Self.longest)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandError("\(path): the file is not text")
    }
    lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
      .map { (number: $0.offset + 1, text: $0.element) }
      .filter { !$0.text.allSatisfy(\.isWhitespace) }
  }

  /// Returns the entries in the order of their times, for a microphone of the given rate.
  func entries(rate: SampleRate) throws(CommandError) -> [Entry] {
    var entries: [Entry] = []
    for line in lines {
      do {
        entries.append(try Self.entry(line.text, line: line.number, rate: rate))
      } catch {
        throw CommandError("\(path):\(line.number): \(error.description)")
      }
    }
    return entries.sorted { ($0.sample, $0.line) < ($1.sample, $1.line) }
  }

  private struct FormatError: Error {
    let description: String
  }

  private struct Time: Decodable {
    let at: Double
  }

  /// The fields of a control that the line must not contain, because its time and number determine
  /// them.
  private static let taken: Set = ["control_id", "controlId", "at_sample", "atSample"]
  /// The latest time of a control in seconds.
  private static let times = 0.0...1_000_000

  private static func entry(
    _ line: Substring, line number: Int, rate: SampleRate
  ) throws(FormatError) -> Entry {
    let tree = try? JSONSerialization.jsonObject(with: Data(line.utf8))
    guard var members = tree as? [String: Any] else {
      throw FormatError(description: "the line is not a JSON object")
    }
    guard let seconds = try? JSONDecoder().decode(Time.self, from: Data(line.utf8)).at,
      times.contains(seconds)
    else {
      throw FormatError(description: "\"at\" must be the seconds from the start, from 0 to 1000000")
    }
    members["at"] = nil
    if let key = members.keys.sorted().first(where: { taken.contains($0) }) {
      throw FormatError(
        description: "\"\(key)\" must be left out: it is set from \"at\" and the number of the line"
      )
    }
    let sample = Int64((seconds * Double(rate.hertz)).rounded())
    if members["device_report"] != nil || members["deviceReport"] != nil {
      let report = (try message(members) as Anechoic_V1_ProcessRequest).deviceReport
      try check(report)
      return Entry(sample: sample, line: number, request: .deviceReport(report))
    }
    if members["head_pose"] != nil || members["headPose"] != nil {
      var pose = (try message(members) as Anechoic_V1_ProcessRequest).headPose
      pose.deviceTimeNs = Int64((seconds * 1e9).rounded())
      return Entry(sample: sample, line: number, request: .headPose(pose))
    }
    var control: Anechoic_V1_Control = try message(members)
    guard control.control != nil else {
      throw FormatError(
        description: "a control, \"device_report\" or \"head_pose\" is missing beside \"at\"")
    }
    control.atSample = sample
    control.controlID = UInt64(number)
    return Entry(sample: sample, line: number, request: .control(control))
  }

  /// Throws if the server would end the session because of the report.
  private static func check(_ report: Anechoic_V1_DeviceReport) throws(FormatError) {
    do throws(InvalidFieldError) {
      _ = try DeviceReport(report, path: "device_report")
    } catch {
      throw FormatError(description: error.description)
    }
  }

  private static func message<Result: Message>(
    _ members: [String: Any]
  ) throws(FormatError) -> Result {
    do throws(JSONError) {
      return try Result(jsonObject: members)
    } catch {
      throw FormatError(description: error.description)
    }
  }
}

/// The controls and device reports that are not sent yet. Those of a file are sent at their times.
/// A person's decisions are sent with the next chunk of audio.
final class ControlQueue: Sendable {
  private struct State {
    var timed: ArraySlice<ControlFile.Entry>
    var decisions: [Anechoic_V1_Control] = []
    var lastID: UInt64
  }

  private let path: String?
  /// The ids of the file's controls: the numbers of their lines.
  private let lines: Set<UInt64>
  private let state: Mutex<State>
  /// Whether there are poses, whose times are those of the microphone.
  let hasPoses: Bool

  /// Reads the file, for a microphone of the given rate. `route` is reported first of all.
  init(
    file path: String?, rate: SampleRate, route: Anechoic_V1_DeviceReport?
  ) throws(CommandError) {
    let timed =
      try path.map { path throws(CommandError) in
        try ControlFile(path: path).entries(rate: rate)
      } ?? []
    self.path = path
    lines = Set(timed.map { UInt64($0.line) })
    hasPoses = timed.contains { if case .headPose = $0.request { true } else { false } }
    let first = route.map { ControlFile.Entry(sample: 0, line: 0, request: .deviceReport($0)) }
    let all = [first].compactMap { $0 } + timed
    state = Mutex(State(timed: all[...], lastID: lines.max() ?? 0))
  }

  /// Returns the file and line of a control, for messages.
  func origin(of id: UInt64) -> String {
    if id == 0 { return "a device report" }
    guard let path, isInFile(id) else { return "a decision" }
    return "\(path):\(id)"
  }

  /// Whether a control is a line of the file, and not a decision of the person.
  func isInFile(_ id: UInt64) -> Bool { lines.contains(id) }

  /// Returns the words for lines that were refused, or nil for none.
  func problem(refused lines: [UInt64]) -> String? {
    guard let path, let first = lines.first else { return nil }
    return lines.count == 1
      ? "\(path):\(first): the control was refused"
      : "\(path): \(lines.count) controls were refused, the first of them in line \(first)"
  }

  /// Adds a control to be sent with the next chunk.
  func decide(_ control: Anechoic_V1_Control.OneOf_Control) {
    state.withLock { state in
      state.lastID += 1
      var message = Anechoic_V1_Control()
      message.controlID = state.lastID
      message.control = control
      state.decisions.append(message)
    }
  }

  /// Removes and returns the requests that are to be sent before the microphone's sample `end`.
  func pop(before end: Int64) -> [ControlFile.Entry.Request] {
    state.withLock { state in
      let due = state.timed.prefix { $0.sample < end }
      state.timed = state.timed.dropFirst(due.count)
      defer { state.decisions = [] }
      return due.map(\.request) + state.decisions.map { .control($0) }
    }
  }
}
