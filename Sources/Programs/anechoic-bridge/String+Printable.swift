extension StringProtocol {
  /// The text with spaces in the place of control characters.
  var printable: String {
    String(
      map { character in
        character.unicodeScalars.contains { $0.properties.generalCategory == .control }
          ? " " : character
      })
  }
}
