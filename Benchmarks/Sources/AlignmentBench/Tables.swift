internal import AcousticSimulator
internal import AudioCore

/// The cases, each a table. What a table calls alone is the engine without a session: with the long
/// filter and the search of its own that it had before references were aligned.
struct Tables {
  let rate: SampleRate
  let voices: Voices

  static let lags = [0, 20, 60, 120, 160, 250, 400, 600, 1000]

  /// A room with little noise, which would hide what is left of the echo.
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
