internal import Foundation
internal import VoiceClient

/// Measures the effect of watchers on a session in real time. Another connection mutes and unmutes
/// the session, five times a second. The session runs without watchers, then with them, then
/// without them.
///
///     WatchedSession ADDRESS WATCHERS SECONDS
///
/// Prints one JSON object: the round trips of frames in microseconds, and the number of events that
/// the watchers got.
@main
enum Main {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let count = Int(arguments[2]), let seconds = Int(arguments[3])
    else {
      FileHandle.standardError.write(
        Data("usage: WatchedSession ADDRESS WATCHERS SECONDS\n".utf8))
      exit(64)
    }
    let address = arguments[1]
    // The watchers run in another process of this program, so that they do not slow down the
    // talker.
    if let session = ProcessInfo.processInfo.environment["WATCHED_SESSION"] {
      return try await Watchers.run(address, session, count)
    }
    let talker = try await Talker(address)
    var unwatched = try await talker.talk(seconds)
    let watchers = try WatcherProcess(arguments, session: talker.session)
    let watched = try await talker.talk(seconds)
    let events = watchers.end()
    unwatched += try await talker.talk(seconds)
    print(
      """
      {"unwatched_p50_us":\(unwatched.percentile(0.5)),"unwatched_p99_us":\
      \(unwatched.percentile(0.99)),"watched_p50_us":\(watched.percentile(0.5)),\
      "watched_p99_us":\(watched.percentile(0.99)),"watchers":\(count),"events_watched":\(events)}
      """)
  }
}

extension [Double] {
  func percentile(_ share: Double) -> Int {
    isEmpty ? 0 : Int(sorted()[Swift.min(count - 1, Int(Double(count) * share))])
  }
}
