/// The available voices. This type looks names up itself, because the library would treat a name as
/// a file path and accept variants that do not exist.
struct VoiceCatalog {
  static let standard = "en"

  let voices: [InstalledVoice]
  /// The variants that can be added to any voice, such as f3 in "en+f3".
  let variants: [InstalledVoice]

  init(_ library: borrowing ESpeakLibrary) {
    voices = library.voices()
    variants = library.voices(of: "variant")
  }

  /// Returns the file of the voice with this name, or of the voice that fits the language with this
  /// name best.
  func file(of name: String) throws(SpeechError) -> String {
    let parts = name.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
    let wanted = Self.comparable(parts.first.flatMap { $0.isEmpty ? nil : String($0) })
    guard
      let voice = byLanguage(wanted) ?? voices.first(where: { Self.comparable($0.name) == wanted })
    else { throw .unknownVoice(String(name.unicodeScalars.prefix(64))) }
    guard parts.count == 2 else { return voice.file }
    let suffix = "/" + parts[1].lowercased()
    guard let variant = variants.first(where: { $0.file.lowercased().hasSuffix(suffix) }),
      let ending = variant.file.split(separator: "/").last
    else { throw .unknownVoice(String(name.unicodeScalars.prefix(64))) }
    return "\(voice.file)+\(ending)"
  }

  private func byLanguage(_ wanted: String) -> InstalledVoice? {
    let fitting = voices.compactMap { voice in
      voice.languages.first { Self.comparable($0.name) == wanted }.map { (voice, $0.priority) }
    }
    return fitting.min { $0.1 < $1.1 }?.0
  }

  /// Returns the name with spaces replaced by underscores, as `espeak-ng --voices` shows it.
  private static func comparable(_ name: String?) -> String {
    String((name ?? standard).lowercased().map { $0 == "_" ? " " : $0 })
  }
}
