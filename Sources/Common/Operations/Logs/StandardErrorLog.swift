internal import Foundation

/// The log of a program that runs for long: lines to standard error.
///
/// Writing never waits: a full pipe that nobody reads would stop the program. Lines that find no room are lost,
/// and a line tells their number later.
public enum StandardErrorLog {
  /// The time that the last lines have at the end of the program.
  private static let patience = Duration.milliseconds(500)

  private static let writer: LineWriter = {
    atexit { StandardErrorLog.flush() }
    return LineWriter(descriptor: STDERR_FILENO) { "\($0) lines of the log were lost\n" }
  }()

  /// Writes a line, without its newline.
  public static func write(_ line: String) { writer.write(line + "\n") }

  /// Returns when all lines are written, or after half a second.
  public static func flush() { writer.flush(atMost: patience) }
}
