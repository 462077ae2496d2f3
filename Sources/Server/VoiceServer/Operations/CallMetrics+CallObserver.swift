public import GRPCTransport
public import Operations

extension CallMetrics: CallObserver {
  public func handled(_ code: StatusCode, after time: Duration) {
    handled(code: Int(code.rawValue), after: time)
  }
}
