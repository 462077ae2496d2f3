extension String {
  /// Whether the text is safe to show to a person on one line. Control characters could make a
  /// terminal show something else.
  public var isPlainText: Bool {
    unicodeScalars.allSatisfy(\.isPlain)
  }

  /// Returns at most `count` characters that are safe to show, for a message that quotes this text.
  public func plainPrefix(_ count: Int) -> String {
    String(String.UnicodeScalarView(unicodeScalars.lazy.filter(\.isPlain).prefix(count)))
  }
}

extension Unicode.Scalar {
  fileprivate var isPlain: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
  }
}
