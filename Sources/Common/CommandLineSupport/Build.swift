internal import AnechoicAPI
internal import CBuildInformation

/// The build of this program.
public enum Build {
  /// The commit, such as `a1b2c3d4e5f6`, with `-changed` after it if the files differed from the commit,
  /// or `unknown`: only builds by scripts/build know their commit.
  public static let commit = String(cString: anechoic_build_commit())

  /// The version, and the commit if it is known: `1.2.3 (a1b2c3d4e5f6)`.
  public static var version: String {
    commit == "unknown" ? anechoicVersion : "\(anechoicVersion) (\(commit))"
  }

  /// The version of the compiler, as far as conditions can tell.
  public static var compiler: String {
    #if compiler(>=6.4)
      "6.4 or later"
    #elseif compiler(>=6.3)
      "6.3"
    #elseif compiler(>=6.2)
      "6.2"
    #else
      "6.1 or earlier"
    #endif
  }
}
