internal import AnechoicAPI

extension Anechoic_V1_EdgeStatus.Switching {
  init(_ status: EdgeSwitching.Status, _ settings: EdgeConfiguration.Switching) {
    self.init()
    group = settings.group
    machine = settings.machine
    connected = status.rule.isConnected
    problem = status.problem
    localPolicy = status.rule.isLocal(now: .now)
    decisions = status.rule.decisions.values.sorted { $0.headset < $1.headset }
    activity = status.activity
    mediaPaused = status.isPaused
  }
}
