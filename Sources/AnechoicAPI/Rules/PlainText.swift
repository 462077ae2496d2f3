extension String {
  /// Whether the text is safe to show to a person on one line. Control characters could make a
  /// terminal show something else.
  public var isPlainText: Bool {
    unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
      default: true
      }
    }
  }
}
