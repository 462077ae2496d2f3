extension String {
  /// Whether it can be shown to a person on one line: without control characters, which could make
  /// a terminal show something else.
  public var isPlainText: Bool {
    unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
      default: true
      }
    }
  }
}
