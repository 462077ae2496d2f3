internal import Settings

/// The reader of settings files.
public enum SettingsFile {
  /// Returns the text of a settings file.
  public static func text(of file: String) throws(CommandError) -> String {
    let bytes = try ShortFile.read(file, title: file, atMost: SettingsTable<Void>.longestFile)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandError("\(file): the file is not text")
    }
    return text
  }
}
