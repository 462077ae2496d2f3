internal import Foundation
public import Settings

/// The place of a file that a setting names.
enum FilePlace {
  /// The reason why a file does not exist.
  typealias Problem = (words: String, mayPass: Bool)

  /// Returns the reason why this user cannot create a file that does not exist, with its effect.
  static func problem(at path: String, _ effect: String) -> Problem? {
    if let problem = folderProblem(of: path, effect) { return problem }
    let folder = folder(of: path)
    guard !FileManager.default.fileExists(atPath: path),
      !FileManager.default.isWritableFile(atPath: folder)
    else { return nil }
    return ("\(path): this user cannot create files in \(folder); \(effect)", true)
  }

  /// Returns the reason why nobody can create a file that does not exist, with its effect.
  static func folderProblem(of path: String, _ effect: String) -> Problem? {
    guard !FileManager.default.fileExists(atPath: path) else { return nil }
    let folder = folder(of: path)
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) else {
      return ("\(path): there is no folder \(folder); \(effect)", true)
    }
    return isFolder.boolValue ? nil : ("\(path): \(folder) is not a folder", false)
  }

  private static func folder(of path: String) -> String {
    URL(fileURLWithPath: path).deletingLastPathComponent().path
  }
}

extension LayeredValues<EdgeConfiguration> {
  /// Looks at the files that the agent writes, and at the ticket that it reads. Throws for a path
  /// that is a folder, or leads through a file. Adds a warning for a file that cannot be there yet.
  public mutating func checkFiles() throws(SettingsError) {
    let (session, waits) = (values.session, "the agent waits for it")
    try check("microphone.lamps", values.microphone.lamps) {
      FilePlace.folderProblem(of: $0, waits)
    }
    try check("mute.lamps", values.mute.lamps) { FilePlace.folderProblem(of: $0, waits) }
    // The agent makes the folder.
    try check("programs.desktop_memory", values.programs.desktopMemory) { _ in nil }
    try check("session.join", session.join) { FilePlace.folderProblem(of: $0, waits) }
    try check("session.share", session.share) {
      FilePlace.problem(at: $0, "the agent cannot write the ticket, and no device can join")
    }
    try check("session.voiceprint", session.voiceprint?.path) {
      FilePlace.problem(at: $0, "the agent cannot write a voice that it learns")
    }
  }

  private mutating func check(
    _ key: String, _ path: String?, _ problem: (String) -> FilePlace.Problem?
  ) throws(SettingsError) {
    try check(key, [path].compactMap(\.self), problem)
  }

  private mutating func check(
    _ key: String, _ paths: [String], _ problem: (String) -> FilePlace.Problem?
  ) throws(SettingsError) {
    for (index, path) in paths.enumerated() {
      var isFolder: ObjCBool = false
      if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
        throw wrong(key, at: index, "\(path): this is a folder; name a file")
      }
      guard let problem = problem(path) else { continue }
      guard problem.mayPass else { throw wrong(key, at: index, problem.words) }
      warn(key, at: index, problem.words)
    }
  }
}
