internal import CESpeak

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
