internal import ArgumentParser
internal import CommandLineSupport
internal import Foundation
internal import LinuxSystem

/// The files that a command reads and the files that it writes.
enum FileRoles {
  /// Throws if one file is named both as an input and as an output, or twice as an output.
  static func check(read: [String], written: [String]) throws(CommandError) {
    for (index, path) in written.enumerated() where path != "-" && path != "/dev/null" {
      if read.contains(where: { isSame($0, path) }) {
        throw CommandError("\(path): this file is also an input, and would be overwritten")
      }
      if written[..<index].contains(where: { isSame($0, path) }) {
        throw CommandError("\(path): two outputs cannot go to the same file")
      }
    }
  }

  /// Throws for an option that names standard output, where it takes a file alone.
  static func refuseStandardOutput(_ outputs: [(option: String, path: String?)]) throws {
    for (option, path) in outputs where path == "-" {
      throw ValidationError("\(option) takes a file; it cannot be standard output.")
    }
  }

  /// Returns whether two paths name the same file, directly or through links.
  static func isSame(_ left: String, _ right: String) -> Bool {
    canonical(left) == canonical(right)
      || FileIdentity.isRegular(left) && FileIdentity(left) == FileIdentity(right)
  }

  /// Removes a regular file that was written and is of no use.
  static func remove(_ path: String) {
    guard path != "-" else { return }  // Standard output.
    let place = canonical(path)
    var status = stat()
    guard lstat(place, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    unlink(place)
  }

  /// Returns a path without links. A file that is not there yet is in the folder to which a link leads.
  private static func canonical(_ path: String) -> String {
    let place = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    return place.deletingLastPathComponent().resolvingSymlinksInPath()
      .appendingPathComponent(place.lastPathComponent).path
  }
}
