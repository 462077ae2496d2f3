internal import ArgumentParser

/// An argument of the form KEY=VALUE.
struct KeyValue: ExpressibleByArgument {
  let key: String
  let value: String

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else { return nil }
    key = String(parts[0])
    value = String(parts[1])
  }
}
