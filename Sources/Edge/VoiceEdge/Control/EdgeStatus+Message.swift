internal import AnechoicAPI
internal import AudioCore
internal import EdgeAudio
internal import SwiftProtobuf

extension EdgeAgent {
  /// Returns the status of the agent as a message of the local control.
  func describe(_ status: EdgeStatus) -> Anechoic_V1_EdgeStatus {
    Anechoic_V1_EdgeStatus.with {
      $0.server = configuration.server.address
      $0.connected = status.isConnected
      $0.session =
        status.isConnected ? status.session : "sessions/\(configuration.session.id)"
      switch link.state.current {
      case .connected: break
      case .away(let problem): $0.problem = problem
      case .resting: $0.problem = "there is no call"
      }
      $0.muted = status.mute.isMuted
      $0.muteHolders = status.mute.holders.map { $0 == .session ? .session : .hardware }
      $0.muteActor = status.muteActor
      $0.voiceActive = status.voiceActive
      $0.mutedSpeechActive = status.mutedSpeechActive
      $0.route = status.route ?? ""
      $0.ports = ports()
      $0.devices = devices.health.map {
        Anechoic_V1_EdgeDevice($0.role, $0.health, status.microphone)
      }
      $0.farEnds = slots.messages
      $0.call = Anechoic_V1_EdgeCall(status.call)
      $0.recording = status.isRecording
      $0.microphoneUse = Anechoic_V1_MicrophoneUse(status.microphone)
      $0.latency = .with {
        $0.captureMs = Float(status.latency.capture)
        $0.serverMs = Float(status.latency.server)
        $0.processingMs = Float(status.latency.processing)
        $0.totalMs = Float(status.latency.total)
      }
      $0.flow = flow(status)
      $0.injectionRequests = status.injectionQuestions.map { question in
        .with {
          $0.client = question.client
          $0.usageDescription = question.usage
        }
      }
      if let others = otherPrograms?.status {
        $0.otherPrograms = .with {
          $0.connected = others.isConnected
          $0.problem = others.problem
          $0.loweredStreams = UInt32(clamping: others.loweredCount)
          $0.gainDb = others.gain
        }
      }
      if let switching {
        $0.switching = Anechoic_V1_EdgeStatus.Switching(switching.status, configuration.switching)
      }
      $0.voice = status.voice
      if let stats = status.stats { $0.stats = stats }
      if let gap = status.lastGap { $0.lastGap = Google_Protobuf_Duration(rounding: gap) }
    }
  }

  private func ports() -> [Anechoic_V1_EdgePort] {
    let present = routes.present
    return configuration.routes.ports.map { port in
      Anechoic_V1_EdgePort.with {
        let route = Anechoic_V1_AudioRoute(port)
        $0.port = route.hasInput ? route.input : route.output
        $0.present = present.contains(port.id)
        $0.priority = Int32(clamping: port.priority)
      }
    }
  }

  private func flow(_ status: EdgeStatus) -> Anechoic_V1_EdgeStatus.Flow {
    Anechoic_V1_EdgeStatus.Flow.with {
      $0.sessions = UInt64(clamping: status.sessionCount)
      $0.resumptions = UInt64(clamping: status.resumptionCount)
      $0.framesDropped = UInt64(
        clamping: status.droppedFrames + devices.microphone.record.value.droppedFrames)
      $0.framesConcealed = UInt64(clamping: status.concealedFrames)
      $0.framesUnsent = UInt64(clamping: status.sendDropped)
      $0.gapSamples = UInt64(clamping: status.reportedGapSamples)
      $0.playbackUnderruns = UInt64(clamping: devices.controls.underrunCount)
      $0.playbackSamplesSkipped = UInt64(clamping: devices.controls.skippedSamples)
      $0.playbackDriftPpm = Float(devices.controls.driftPPM)
      $0.playbackBufferMs =
        Float(devices.controls.leastLevel) * 1000 / Float(configuration.audio.rate.hertz)
    }
  }
}

extension Anechoic_V1_EdgeDevice {
  init(_ role: String, _ health: DeviceHealth, _ use: MicrophoneUse?) {
    self.init()
    self.role = role
    device = health.device ?? ""
    xruns = UInt32(clamping: health.xruns)
    opened = UInt32(clamping: health.openCount)
    switch health.state {
    case .idle: state = .idle
    case .closed:
      let reason = role == "microphone" ? use : .noCall
      (state, detail) = (.closed, reason.map { "closed, because \($0.text)" } ?? "closed")
    case .absent(let error): (state, detail) = (.absent, error.description)
    case .running(let format): (state, detail) = (.running, format.description)
    case .stalled(let format): (state, detail) = (.stalled, format.description)
    }
  }
}

extension Anechoic_V1_MicrophoneUse {
  init(_ use: MicrophoneUse?) {
    self =
      switch use {
      case .always: .always
      case .session: .session
      case .mutedTalker: .mutedTalker
      case .test: .test
      case .muted: .closedWhileMuted
      case .noSession: .closedWithoutSession
      case .noCall: .closedWithoutCall
      case nil: .unspecified
      }
  }
}

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
