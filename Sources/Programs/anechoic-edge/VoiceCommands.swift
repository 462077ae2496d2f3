internal import AnechoicAPI
internal import ArgumentParser
internal import CommandLineSupport
internal import SwiftProtobuf
internal import VoiceEdge

/// Shows, learns and forgets the voice that VOICE_ISOLATION keeps.
struct VoiceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "voice",
    abstract: "Show, learn or forget the voice that VOICE_ISOLATION keeps.",
    subcommands: [Show.self, Learn.self, Forget.self], defaultSubcommand: Show.self)

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show which voice is kept.")

    @OptionGroup var agent: AgentOptions

    func run() async throws { try agent.showVoice(of: try await agent.status()) }
  }

  struct Learn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Learn the voice at the microphone, and keep it.",
      discussion: """
        Needs a call, and 3 s of one voice while nothing plays. Exits with 2 if no voice was learnt.
        """)

    @OptionGroup var agent: AgentOptions

    /// Longer than an enrollment lasts.
    private static let patience = Duration.seconds(90)

    func run() async throws {
      let response: Anechoic_V1_EnrollVoiceResponse = try await agent.ask(
        RPC.enrollVoice, Anechoic_V1_EnrollVoiceRequest())
      var status = response.status
      if !agent.json { standardError("talk for some seconds ...\n") }
      let deadline = ContinuousClock.now + Self.patience
      while status.voice.enrollment == .enrolling, ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(100))
        status = try await agent.status()
      }
      // The file is written meanwhile.
      try await Task.sleep(for: .milliseconds(200))
      status = try await agent.status()
      let voice = status.voice
      if voice.problem.hasPrefix("session.voiceprint: ") {
        throw CommandError("the voice is kept until the agent stops: \(voice.problem)")
      }
      guard voice.enrollment == .enrolled, voice.reason.isEmpty else {
        let cause = status.muted ? "; the microphone is muted" : ""
        throw CommandError("no voice was learnt: \(reason(voice))\(cause)")
      }
      try agent.showVoice(of: status)
    }

    private func reason(_ voice: Anechoic_V1_EdgeStatus.Voice) -> String {
      if voice.enrollment == .enrolling { return "the session does not answer" }
      return voice.reason.isEmpty ? "it was forgotten meanwhile" : voice.reason
    }
  }

  struct Forget: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Forget the voice, and delete its file.")

    @OptionGroup var agent: AgentOptions

    func run() async throws {
      let response: Anechoic_V1_ForgetVoiceResponse = try await agent.ask(
        RPC.forgetVoice, Anechoic_V1_ForgetVoiceRequest())
      try agent.showVoice(of: response.status)
    }
  }
}

extension AgentOptions {
  fileprivate func showVoice(of status: Anechoic_V1_EdgeStatus) throws {
    try LineFile("-").show(json ? try status.voice.jsonLine() : status.voice.words)
  }
}

extension Anechoic_V1_EdgeStatus.Voice {
  /// The state, for people.
  var words: String {
    let state =
      switch enrollment {
      case .enrolling: "a voice is being learnt"
      case .enrolled: "the learnt voice is kept"
      case .none, .unspecified, .UNRECOGNIZED: "the nearest voice is kept"
      }
    let reason = reason
    return reason.isEmpty ? state : "\(state); \(reason)"
  }

  /// The reason why no voice was learnt, or what is wrong. Empty if nothing is.
  fileprivate var reason: String { failure == .unspecified ? problem : failure.words }
}
