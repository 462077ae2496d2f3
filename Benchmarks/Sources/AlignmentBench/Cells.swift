internal import Foundation

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
