internal import Foundation
public import Settings

/// The defaults that have changed since a configuration file may have been written. The person is
/// told once for each file, and never about keys that the file sets.
public struct ChangedDefaults: Sendable {
  /// A default that has changed, and whether it matters with the other settings.
  private struct Change: Sendable {
    let key: String
    let former: String
    var matters: @Sendable (EdgeConfiguration) -> Bool = { _ in true }
  }

  private static let changes = [
    Change(key: "calls.begin", former: "always") { $0.seesPrograms },
    Change(key: "microphone.open", former: "always"),
    Change(key: "mute.muted_audio", former: "sent"),
    Change(key: "programs.media", former: "leave") { $0.programs.desktop != .none },
    Change(key: "routing.call", former: "far-end") { $0.switching.isOn },
  ]

  private let told: RememberedFile<String>

  /// - Parameter path: The file that remembers the files that were told. Nil for the user's.
  public init(path: String? = nil) { told = RememberedFile(path, "told-defaults.json") }

  /// Returns the note for a configuration file, and remembers that it was told, if the file for
  /// that can be written. Returns nil if it was told before, for an agent that only plays, and if
  /// there is nothing to tell.
  public func note(_ settings: LayeredValues<EdgeConfiguration>, file: String) -> String? {
    guard settings.values.session.join == nil else { return nil }
    let changed = Self.changes.filter {
      settings.origin($0.key) == .defaultValue && $0.matters(settings.values)
    }
    let name = URL(filePath: file).standardizedFileURL.path
    var files = (try? told.read()) ?? []
    guard !changed.isEmpty, !files.contains(name) else { return nil }
    files.append(name)
    let isRemembered = (try? told.write(files)) != nil
    let values = changed.map { "\($0.key): \($0.former)" }.joined(separator: ", ")
    return "\(file): the defaults of keys that it does not set have changed; to go on as before, "
      + "set \(values)" + (isRemembered ? ". This is said once" : "")
  }
}
