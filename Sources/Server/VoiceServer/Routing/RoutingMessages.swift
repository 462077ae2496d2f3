internal import AnechoicAPI
internal import SwiftProtobuf
internal import VoiceSessions

extension Anechoic_V1_RoutingDecision {
  init(_ decision: RoutingGroup.Decision) {
    self.init()
    headset = decision.headset
    holder = decision.holder?.machine ?? ""
    generation = decision.generation
    chosen = decision.isChosen
    if let reason = decision.holder?.reason { self.reason = Reason(reason) }
  }
}

extension Anechoic_V1_RoutingDecision.Reason {
  fileprivate init(_ reason: HeadsetPolicy.Reason) {
    self =
      switch reason {
      case .free: .free
      case .call: .call
      case .media: .media
      case .chosen: .chosen
      case .holderLeft: .holderLeft
      }
  }
}

extension Anechoic_V1_MachineActivity {
  init(_ activity: Activity) {
    self.init()
    headsets = activity.headsets.sorted()
    chosenHeadsets = activity.chosenHeadsets.sorted()
    microphoneOpen = activity.hasOpenMicrophone
    mediaPlaying = activity.playsMedia
    notificationPlaying = activity.playsNotification
    if let idle = activity.sinceUserInput { sinceUserInput = Google_Protobuf_Duration(idle) }
  }
}
