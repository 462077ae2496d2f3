public import GRPCTransport
public import Telemetry

extension CallMetrics: CallObserver {
  public func handled(_ code: StatusCode, after time: Duration) {
    handled(code: Int(code.rawValue), after: time)
  }
}
