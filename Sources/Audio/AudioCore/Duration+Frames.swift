extension Duration {
  /// The number of whole frames of 10 ms.
  public var frames: Int {
    let (seconds, attoseconds) = components
    return Int(seconds) * 100 + Int(attoseconds / 10_000_000_000_000_000)
  }
}
