public import AnechoicAPI
public import VoiceSessions

extension Anechoic_V1_InjectionPermission {
  public init(_ permission: InjectionPermission) {
    switch permission {
    case .serviceDisabled: self = .serviceDisabled
    case .undetermined: self = .undetermined
    case .denied: self = .denied
    case .granted: self = .granted
    }
  }
}

extension Anechoic_V1_InjectionProgress.State {
  init(_ state: SessionEvent.InjectionState) {
    switch state {
    case .started: self = .started
    case .finished: self = .finished
    case .cancelled: self = .cancelled
    }
  }
}
