internal import AudioCore
internal import CHeap
internal import Foundation
internal import VoiceSessions

/// Measures the processor time of sessions in this process, and prints one JSON object.
///
/// Without `--sessions`, compares the kinds of sessions. One session of each kind runs, in turns,
/// so that other load affects all kinds alike. With `--sessions`, that many sessions of one kind
/// take turns frame by frame, like the sessions of a server, so that each finds the data of the
/// others in the caches.
@main
enum Main {
  /// The length of a session's turn in frames when kinds are compared.
  private static let turn = 100
  private static let turns = 60

  static func main() throws {
    let options: Options
    do {
      options = try Options(CommandLine.arguments.dropFirst())
    } catch {
      FileHandle.standardError.write(Data("error: \(error)\n\(Options.usage)\n".utf8))
      exit(64)
    }
    let audio = try CallAudio(options)
    print(try options.sessions == nil ? compareKinds(options, audio) : takeTurns(options, audio))
  }

  private static func compareKinds(_ options: Options, _ audio: CallAudio) throws -> String {
    let kinds = SessionKind.allCases
    let sessions = try kinds.map { try MeasuredSession($0, audio, options.engine) }
    var times = kinds.map { _ in [Double]() }
    for index in 0..<turns {
      for (kind, session) in sessions.enumerated() {
        let time = try threadTime { try session.run(frames: turn) }
        if index >= turns / 4 { times[kind].append(time / Double(turn)) }
      }
    }
    let fields = zip(kinds, times).map { kind, times in
      "\"\(kind.rawValue)_us\":\(String(format: "%.2f", times.sorted()[times.count / 2]))"
    }
    return "{\(fields.joined(separator: ","))}"
  }

  private static func takeTurns(_ options: Options, _ audio: CallAudio) throws -> String {
    let count = options.sessions ?? 1
    // The first session also creates what all sessions share.
    var sessions = [try MeasuredSession(options.kind, audio, options.engine)]
    try sessions[0].run(frames: 1)
    let before = heap_bytes_in_use()
    for index in 1...count {
      let session = try MeasuredSession(
        options.kind, audio, options.engine, firstFrame: index * audio.frames.count / count)
      try session.run(frames: 1)
      sessions.append(session)
    }
    let bytes = (heap_bytes_in_use() - before) / count
    sessions.removeFirst()
    try run(sessions, frames: options.warmUp)
    let time = try threadTime { try runMeasured(sessions, frames: options.frames) }
    let frames = count * options.frames
    return """
      {"sessions":\(count),"frames":\(frames),"heap_bytes_per_session":\(bytes),\
      "cpu_us_per_frame":\(String(format: "%.2f", time / Double(frames)))}
      """
  }

  private static func run(_ sessions: [MeasuredSession], frames: Int) throws {
    for _ in 0..<frames {
      for session in sessions { try session.run(frames: 1) }
    }
  }

  /// Runs the measured part. Its name is for `callgrind --toggle-collect`.
  @inline(never)
  private static func runMeasured(_ sessions: [MeasuredSession], frames: Int) throws {
    try run(sessions, frames: frames)
  }

  /// Returns the processor time of some work in microseconds.
  private static func threadTime(_ work: () throws -> Void) rethrows -> Double {
    var begin = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin)
    try work()
    var end = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
    return Double(end.tv_sec - begin.tv_sec) * 1e6 + Double(end.tv_nsec - begin.tv_nsec) / 1e3
  }
}
