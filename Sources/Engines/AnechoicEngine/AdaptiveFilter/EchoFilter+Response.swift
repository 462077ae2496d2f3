internal import AudioCore

/// The echo path as an impulse response.
extension EchoFilter {
  /// The number of samples of the longest response.
  static func responseLength(hop: Int) -> Int { partitions * hop }

  /// Fills `response` with the taps of all partitions.
  func readResponse(into response: UnsafeMutablePointer<Float>) {
    for partition in 0..<Self.partitions {
      readTaps(of: partition)
      (response + partition * hop).update(from: results.block, count: hop)
    }
  }

  /// Begins with a response that is believed, until the first echo shows whether it fits.
  mutating func begin(with response: UnsafePointer<Float>) {
    reset()
    for partition in 0..<Self.partitions {
      results.block.update(from: response + partition * hop, count: hop)
      storeTaps(of: partition)
    }
    for index in bands.indices { bands[index].setUncertainty(share: Self.believedUncertainty) }
    trial = ResponseTrial()
  }

  /// The uncertainty of a response that is believed, as a part of that of an unknown one.
  private static let believedUncertainty: Float = 0.02

  /// Judges the response with which the filter began, by the powers of the microphone and of the error
  /// before the filter adapts.
  mutating func tryResponse(microphone: Float, estimate: Float, error: Float) {
    switch trial?.add(microphone: microphone, estimate: estimate, error: error) {
    case nil: break
    case .fits: trial = nil
    case .hasChanged:
      trial = nil
      for index in bands.indices { bands[index].setUncertainty(share: 1) }
    case .isWrong: reset()
    }
  }
}

/// The trial of a response with which a filter began.
struct ResponseTrial {
  enum Verdict { case fits, hasChanged, isWrong }

  /// The frames with echo that decide: a sixth of a second. Somebody who talks over the echo for longer
  /// makes the filter learn again, and loses nothing else.
  private static let frames = 16
  /// The frames after which a response that makes the sound louder is wrong.
  private static let fewestFrames = 5
  /// The least power of the estimate by that of the microphone in a frame that counts.
  private static let leastEstimate: Float = 0.05
  /// The power of the error by that of the microphone from which the path has changed.
  private static let changed: Float = 0.3

  private var microphone: Float = 0
  private var error: Float = 0
  private var count = 0

  /// Adds a frame. Returns the verdict, or nil while there is none.
  mutating func add(microphone: Float, estimate: Float, error: Float) -> Verdict? {
    guard estimate > Self.leastEstimate * microphone, estimate > 0 else { return nil }
    self.microphone += microphone
    self.error += error
    count += 1
    if count >= Self.fewestFrames, self.error > self.microphone { return .isWrong }
    guard count >= Self.frames else { return nil }
    return self.error > Self.changed * self.microphone ? .hasChanged : .fits
  }
}
