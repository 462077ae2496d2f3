internal import Foundation

/// The programs that the rig uses.
public enum Tools {
  static let names = ["pulseaudio", "pactl", "pacat", "parec"]

  /// Returns the names that no folder of PATH contains.
  static func missing(_ names: [String] = names) -> [String] {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return names.filter { name in
      !folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }
  }

  /// Returns the path of Debian's libfaketime for programs with several threads, for any
  /// architecture.
  public static func fakeTimeLibrary() -> String? {
    let root = "/usr/lib"
    let folders = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    return (folders.map { "\(root)/\($0)" } + [root])
      .map { "\($0)/faketime/libfaketimeMT.so.1" }
      .first { FileManager.default.fileExists(atPath: $0) }
  }
}
