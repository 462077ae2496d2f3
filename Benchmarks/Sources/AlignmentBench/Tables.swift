internal import AcousticSimulator
internal import AudioCore
internal import Foundation

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

func row(_ cells: [String]) { print("| \(cells.joined(separator: " | ")) |") }

func pair(_ first: Float, _ second: Float) -> String { "\(text(first)) / \(text(second))" }
func pair(_ first: Double?, _ second: Double?) -> String { "\(text(first)) / \(text(second))" }

func text(_ value: Float) -> String { String(format: "%.0f", value) }
func text(_ value: Double?) -> String { value.map { String(format: "%.1f", $0) } ?? "–" }
func decimal(_ value: Float) -> String { String(format: "%.1f", value) }

func decimals(_ first: Float, _ second: Float) -> String {
  "\(decimal(first)) / \(decimal(second))"
}

func milliseconds(_ duration: Duration?) -> String {
  duration.map { String(format: "%.1f", $0 / .milliseconds(1)) } ?? "–"
}
