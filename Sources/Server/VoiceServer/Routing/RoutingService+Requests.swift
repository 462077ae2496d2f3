internal import AnechoicAPI
internal import Authentication
internal import GRPCTransport
internal import Operations
internal import SwiftProtobuf
internal import Synchronization
internal import VoiceSessions

/// The requests of clients that are not machines of the group.
extension RoutingService {
  func routing(
    _ request: Anechoic_V1_GetRoutingRequest, for client: Principal
  ) throws(Status) -> Anechoic_V1_GetRoutingResponse {
    let group = try Self.checked { () throws(InvalidFieldError) in
      try request.group.checkedGroup(path: "group")
    }
    let entry = state.withLock { $0.entries[RoutingKey(group, of: client)] }
    return .with { response in
      response.group = group
      guard let entry else { return }
      response.machines = entry.group.members.map { member in
        .with {
          $0.machine = member.name
          $0.client = entry.places[member.name]?.client.name ?? ""
          $0.connected = member.isConnected
          $0.activity = Anechoic_V1_MachineActivity(member.activity)
          $0.mediaPaused = member.isPaused
        }
      }
      response.headsets = entry.group.decisions.map { Anechoic_V1_RoutingDecision($0) }
    }
  }

  func choose(
    _ request: Anechoic_V1_ChooseHolderRequest, by client: Principal
  ) throws(Status) -> Anechoic_V1_ChooseHolderResponse {
    let (group, headset, machine) = try Self.checked { () throws(InvalidFieldError) in
      (
        try request.group.checkedGroup(path: "group"),
        try request.headset.checkedID(path: "headset"),
        try request.machine.checkedGroup(path: "machine")
      )
    }
    var decision: RoutingGroup.Decision?
    try change(RoutingKey(group, of: client)) { _, entry throws(Status) in
      guard entry.budget.take(now: .now) else { throw .tooManyRoutingChanges }
      let effects = try Self.refusing { () throws(RoutingError) in
        if machine.isEmpty { return try entry.group.release(headset, now: .now) }
        return try entry.group.choose(
          machine, for: headset, isPinned: request.untilReleased, now: .now)
      }
      decision = entry.group.decisions.first { $0.headset == headset }
      return effects
    }
    guard let decision else {
      throw Status(RoutingError.unusable(headset, machine.isEmpty ? nil : machine))
    }
    return .with { $0.decision = Anechoic_V1_RoutingDecision(decision) }
  }
}
