internal import AcousticSimulator
internal import AudioCore

/// The cases, one table each. In a table, "alone" is the engine without a session, with the long
/// filter and the search of its own that the service used before it aligned references.
struct Tables {
  let rate: SampleRate
  let voices: Voices

  static let lags = [0, 20, 60, 120, 160, 250, 400, 600, 1000]

  /// A room with little noise, because noise would hide the residual echo.
  var scene: EchoScene {
    var scene = EchoScene(rate: rate.hertz)
    scene.noiseLevel = -75
    return scene
  }

  func far(seconds: Int) -> [Float] { Array(voices.far.prefix(seconds * rate.hertz)) }

  func title(_ title: String, _ words: String, columns: [String]) {
    print("### \(title)\n\n\(words)\n")
    row(columns)
    row(columns.map { _ in "---" })
  }
}
