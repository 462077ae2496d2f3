extension Duration {
  /// Whole frames of 10 ms, rounded down.
  public var frames: Int {
    let (seconds, attoseconds) = components
    return Int(seconds) * 100 + Int(attoseconds / 10_000_000_000_000_000)
  }
}
