/// A text that the library can speak.
struct SpokenText {
  let text: String

  init(_ text: String) throws(SpeechError) {
    // The limit also applies to scalars, because a character can consist of any number of them.
    guard text.count <= SpeechSynthesizer.longestText,
      text.unicodeScalars.count <= 2 * SpeechSynthesizer.longestText
    else { throw .textTooLong }
    guard !text.unicodeScalars.contains("\0") else { throw .unspeakable }
    // The library interprets some control characters as commands: U+0001 changes the speed or the
    // voice.
    var spoken = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isCommand = scalar.properties.generalCategory == .control && scalar != "\n"
      spoken.append(isCommand ? " " : scalar)
    }
    guard spoken.contains(where: { !$0.properties.isWhitespace }) else { throw .nothingToSay }
    self.text = String(spoken)
  }
}
