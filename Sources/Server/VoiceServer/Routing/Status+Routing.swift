internal import AnechoicAPI
internal import GRPCTransport
internal import SwiftProtobuf
internal import VoiceSessions

/// The statuses of the arbiter.
extension Status {
  static let tooManyRoutingChanges = Status(
    .resourceExhausted, "too many changes of this group at once", reason: "TOO_MANY_CONTROLS",
    Google_Rpc_RetryInfo.with { $0.retryDelay = Google_Protobuf_Duration(seconds: 1) })

  static let routingFull = Status(
    .resourceExhausted,
    "the arbiter has \(RoutingService.mostMachines) machines, or \(RoutingService.mostMachinesPerAccount)"
      + " of this host or client",
    reason: "ROUTING_FULL",
    Google_Rpc_RetryInfo.with { $0.retryDelay = Google_Protobuf_Duration(seconds: 10) })

  static let machineTakenOver = Status(
    .aborted, "another call has registered this machine", reason: "TAKEN_OVER")

  static let slowMachine = Status(
    .resourceExhausted, "SLOW_CONSUMER: the machine has not read its decisions",
    reason: "SLOW_CONSUMER")

  init(_ refusal: RoutingError) {
    switch refusal {
    case .tooManyMachines:
      self.init(
        .resourceExhausted, "the group has \(RoutingLimits.machinesPerGroup) machines, the most",
        reason: "ROUTING_FULL")
    case .tooManyHeadsets:
      self.init(
        .resourceExhausted,
        "activity.headsets: the group has \(RoutingLimits.headsetsPerGroup) headsets, the most",
        reason: "ROUTING_FULL")
    case .unknownMachine(let machine):
      self.init(
        .failedPrecondition, "the machine \"\(machine)\" is not registered", reason: "NO_HEADSET")
    case .unusable(let headset, let machine):
      let user = machine.map { "the machine \"\($0)\" cannot" } ?? "no machine of the group can"
      self.init(
        .failedPrecondition, "\(user) use the headset \"\(headset)\" now",
        reason: "NO_HEADSET")
    }
  }
}
