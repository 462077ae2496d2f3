internal import AudioCore

/// A file that cannot be read or written as audio.
public struct AudioFileError: Error, Equatable, CustomStringConvertible {
  public let path: String
  public let problem: String

  public var description: String { "\(path): \(problem)" }

  /// Creates an error of a file.
  public init(path: String, problem: String) {
    self.path = path
    self.problem = problem
  }

  /// Creates an error with libsndfile's text, without its prefix and full stop. A header that contradicts
  /// itself, such as one of two data chunks, causes what libsndfile calls an internal error.
  init(path: String, words: UnsafePointer<CChar>?) {
    let words = words.map { String(cString: $0) } ?? "unknown error"
    guard !words.hasPrefix("Internal error") else {
      self.init(path: path, problem: "the header of the file is damaged")
      return
    }
    var text = words[...]
    for prefix in ["System error : ", "Error : "] where text.hasPrefix(prefix) {
      text = text.dropFirst(prefix.count)
    }
    while let last = text.last, last == "." || last.isNewline { text.removeLast() }
    self.init(path: path, problem: text.prefix(1).lowercased() + text.dropFirst())
  }

  /// Creates an error of a sample rate that is not supported.
  init(path: String, sampleRate: String) {
    let known = SampleRate.allCases.map { String($0.hertz) }.joined(separator: ", ")
    self.init(
      path: path,
      problem: "a sample rate of \(sampleRate) Hz is not supported; use one of \(known)")
  }
}
