public import GRPCTransport

/// The decision whether the spans of a trace are recorded: that of its parent, and for a trace that
/// begins here a share of all.
///
/// Traces are chosen by their id, as TraceIdRatioBased of OpenTelemetry does, so that all servers
/// of a fleet choose the same ones.
public struct TraceSampling: Sendable {
  /// The share of the traces that begin here, from 0 to 1.
  public let ratio: Double
  private let limit: UInt64

  public init(ratio: Double) {
    self.ratio = ratio.isNaN ? 0 : min(max(ratio, 0), 1)
    // The ids are compared by 63 bits, as in the specification.
    limit = UInt64(self.ratio * 0x1p63)
  }

  /// Returns whether a trace is recorded. `parent` has the decision of the caller, or is nil.
  public func records(_ trace: TraceID, parent: TraceParent?) -> Bool {
    if let parent { return parent.isSampled }
    return trace.low >> 1 < limit
  }
}
