internal import AnechoicAPI
internal import ArgumentParser

/// How a session takes part in a call, and what others may do to it.
struct CallOptions: ParsableArguments {
  @Option(help: "How much other audio is lowered.")
  var ducking = DuckingArgument.default

  @Flag(help: "Lower other audio while either side talks, and much less while neither does.")
  var advancedDucking = false

  @Flag(help: "Begin muted.")
  var muted = false

  @Option(help: "The session's id, for anechoic sessions. (default: the server's choice)")
  var sessionID = ""

  @Option(
    help: ArgumentHelp("Something to know the session by; repeatable.", valueName: "key=value"))
  var label: [KeyValue] = []

  @Option(
    help: """
      What presses of a mute button do. With ask a decide_mute_gesture in --controls decides, or \
      else the session does after a while.
      """)
  var gesturePolicy = GesturePolicyArgument.apply

  @Flag(help: "Take speech that others inject, once that is permitted.")
  var injection = false

  @Option(
    help: """
      The answer to those who want to inject; ask asks on the terminal. (default: ask with \
      --injection and a terminal, else never)
      """)
  var grantInjection: GrantInjectionArgument?

  func apply(to start: inout Anechoic_V1_Start) {
    start.sessionID = sessionID
    start.muted = muted
    for label in label { start.labels[label.key] = label.value }
    start.config.otherAudioDucking.level = ducking.level
    start.config.otherAudioDucking.advancedDuckingEnabled = advancedDucking
    start.config.mute.gesturePolicy = gesturePolicy.policy
    if injection { start.config.preferredInjectionMode = .spokenAudio }
  }
}
