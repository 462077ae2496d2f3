internal import Glibc

/// The connection of standard error to the journal of systemd.
public enum JournalStream {
  /// Whether standard error goes to the journal, so that a line may begin with its priority, such as
  /// `<3>` for an error (sd-daemon(3)).
  ///
  /// - Parameter stream: The value of the environment variable `JOURNAL_STREAM`: the device and the
  ///   inode of the journal's socket.
  public static func takesPriorities(stream: String?) -> Bool {
    var info = stat()
    guard let stream, fstat(STDERR_FILENO, &info) == 0 else { return false }
    return stream == "\(info.st_dev):\(info.st_ino)"
  }

  /// Whether standard error of this process goes to the journal.
  public static let isStandardError = takesPriorities(
    stream: getenv("JOURNAL_STREAM").map { String(cString: $0) })

  /// The beginning of a line of an error on standard error, and of a warning. Empty if the line does
  /// not go to the journal.
  public static let (error, warning) = isStandardError ? ("<3>", "<4>") : ("", "")
}
