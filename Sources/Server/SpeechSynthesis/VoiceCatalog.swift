internal import CESpeak

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

/// An installed voice of the library.
struct InstalledVoice {
  let name: String
  /// The languages, each with its priority for this voice: a lower number is a better fit.
  let languages: [(name: String, priority: UInt8)]
  /// The path of the file, relative to the directory of voices.
  let file: String

  init(_ voice: espeak_VOICE) {
    name = voice.name.map { String(cString: $0) } ?? ""
    file = voice.identifier.map { String(cString: $0) } ?? ""
    var languages: [(name: String, priority: UInt8)] = []
    // Each language is a byte of priority and a C string. A zero byte ends the list.
    var next = voice.languages
    while let start = next, start.pointee != 0 {
      let language = String(cString: start + 1)
      languages.append((language, UInt8(bitPattern: start.pointee)))
      next = start + 1 + language.utf8.count + 1
    }
    self.languages = languages
  }
}
