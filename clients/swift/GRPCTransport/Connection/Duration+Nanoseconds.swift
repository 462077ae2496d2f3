extension Duration {
  /// The duration in whole nanoseconds, clamped to 64 bits.
  public var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflow || carry ? (seconds < 0 ? .min : .max) : sum
  }

  var milliseconds: Int32 { Int32(clamping: nanoseconds / 1_000_000) }
}
