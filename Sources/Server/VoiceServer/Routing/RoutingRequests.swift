internal import AnechoicAPI
internal import Authentication
internal import GRPCTransport
internal import SwiftProtobuf
internal import VoiceSessions

/// A checked `RegisterMachine`.
struct MachineRegistration: Sendable {
  let group: String
  let machine: String
  let held: Set<String>
  let isPaused: Bool

  init(_ request: Anechoic_V1_RegisterMachine) throws(InvalidFieldError) {
    group = try request.group.checkedGroup(path: "register.group")
    guard !request.machine.isEmpty else {
      throw InvalidFieldError("register.machine", "is required")
    }
    machine = try request.machine.checkedID(path: "register.machine")
    held = try request.heldHeadsets.checkedHeadsets(path: "register.held_headsets")
    isPaused = request.mediaPaused
  }
}

extension Activity {
  init(_ message: Anechoic_V1_MachineActivity) throws(InvalidFieldError) {
    let headsets = try message.headsets.checkedHeadsets(path: "activity.headsets")
    let chosen = try message.chosenHeadsets.checkedHeadsets(path: "activity.chosen_headsets")
    guard chosen.isSubset(of: headsets) else {
      throw InvalidFieldError("activity.chosen_headsets", "must be among activity.headsets")
    }
    var idle: Duration?
    if message.hasSinceUserInput {
      let path = "activity.since_user_input"
      let time = try Duration(message.sinceUserInput, path: path)
      guard time >= .zero else { throw InvalidFieldError(path, "must be at least 0") }
      idle = time
    }
    self.init(
      headsets: headsets, chosenHeadsets: chosen, hasOpenMicrophone: message.microphoneOpen,
      playsMedia: message.mediaPlaying, playsNotification: message.notificationPlaying,
      sinceUserInput: idle)
  }
}

extension String {
  /// Returns an id. Throws if it is not one.
  func checkedID(path: String) throws(InvalidFieldError) -> String {
    guard Identifier.isValid(self) else { throw InvalidFieldError(path, Identifier.rule) }
    return self
  }

  /// Returns the name of a group, which may be empty.
  func checkedGroup(path: String) throws(InvalidFieldError) -> String {
    if isEmpty { return self }
    return try checkedID(path: path)
  }
}

extension [String] {
  fileprivate func checkedHeadsets(path: String) throws(InvalidFieldError) -> Set<String> {
    guard count <= RoutingLimits.headsetsPerMachine else {
      throw InvalidFieldError(path, "must have at most \(RoutingLimits.headsetsPerMachine) ids")
    }
    var ids: Set<String> = []
    for (index, id) in enumerated() {
      guard ids.insert(try id.checkedID(path: "\(path)[\(index)]")).inserted else {
        throw InvalidFieldError("\(path)[\(index)]", "must not be equal to an earlier id")
      }
    }
    return ids
  }
}
