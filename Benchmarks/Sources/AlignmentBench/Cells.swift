internal import Alignment
internal import Foundation

func row(_ cells: [String]) { print("| \(cells.joined(separator: " | ")) |") }

/// Without the aligner and with it.
func pair(_ plain: Float, _ aligned: Float) -> String { "\(text(plain)) / \(text(aligned))" }
func pair(_ plain: Double?, _ aligned: Double?) -> String { "\(text(plain)) / \(text(aligned))" }

func text(_ value: Float) -> String { String(format: "%.0f", value) }
func text(_ value: Double?) -> String { value.map { String(format: "%.1f", $0) } ?? "–" }

func milliseconds(_ duration: Duration?) -> String {
  duration.map { String(format: "%.1f", $0 / .milliseconds(1)) } ?? "–"
}

/// When the reference was moved, in seconds.
func moves(_ trial: Trial, since start: Double = 0) -> String {
  trial.changes.map { String(format: "%.1f", Double($0.frame) / 100 - start) }
    .joined(separator: ", ")
}
