internal import ArgumentParser
internal import CommandLineSupport
internal import Foundation

/// Measures how many sessions a core of this machine carries.
struct MeasureCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure",
    abstract: "Measure how many sessions in real time a core of this machine carries.",
    discussion: """
      Runs a server with one thread, and sessions in real time over 127.0.0.1, in this process. Adds \
      sessions until one frame in 100 is late by more than --late. Prints the most sessions that \
      were on time, the share of a core that a session takes, and what admission would take. Says \
      so if other programs use the machine. The sessions' clients need a second core.

        anechoic-server measure
        anechoic-server measure --kind isolation-16 --kind opus-48 --json
      """)

  @Option(
    help: ArgumentHelp(
      """
      The kind of the sessions: plain-16, plain-48, opus-48, spatial-48 or isolation-16. May be given \
      several times. (default: plain-16 and plain-48)
      """, valueName: "name"))
  var kind: [MeasuredKind] = []

  @Option(
    help: ArgumentHelp(
      "The lateness of a frame that is too much: 5, 10, 20, 50 or 100.", valueName: "ms"))
  var late = 20

  @Option(
    help: ArgumentHelp(
      "The time to measure each number of sessions, from 2 to 60.", valueName: "seconds"))
  var seconds = 5

  @Option(help: ArgumentHelp("The most sessions to try, from 1 to 1000.", valueName: "count"))
  var most = 400

  @Option(
    help: ArgumentHelp(
      "The time after which the measurement of a kind stops, from 10 to 3600.", valueName: "seconds"
    ))
  var limit = 180

  @Flag(help: "Print one JSON object.")
  var json = false

  @ParentCommand var server: ServeCommand

  func validate() throws {
    if let name = server.file.config.map({ _ in "config" }) ?? server.flags.first?.name {
      throw ValidationError("--\(name) has no effect on a measurement.")
    }
    guard [5, 10, 20, 50, 100].contains(late) else {
      throw ValidationError("--late takes 5, 10, 20, 50 or 100.")
    }
    guard (2...60).contains(seconds) else { throw ValidationError("--seconds takes 2 to 60.") }
    guard (1...1000).contains(most) else { throw ValidationError("--most takes 1 to 1000.") }
    guard (10...3600).contains(limit) else { throw ValidationError("--limit takes 10 to 3600.") }
  }

  func run() async throws {
    var report = CapacityReport(lateMilliseconds: late)
    for kind in kind.isEmpty ? [.plain16, .plain48] : kind {
      let measurement = CapacityMeasurement(
        kind, late: .milliseconds(late), each: .seconds(seconds), most: most,
        limit: .seconds(limit)
      ) { step in
        FileHandle.standardError.write(Data("measure: \(kind.rawValue): \(step)\n".utf8))
      }
      do {
        report.kinds.append(try await measurement.run())
      } catch {
        throw CommandError("\(kind.rawValue): \(error)")
      }
    }
    print(json ? report.json : report.text)
  }
}
