internal import AnechoicAPI
internal import ArgumentParser
internal import CommandLineSupport
internal import VoiceClient

struct SetSession: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Change the configuration and the labels of a running session.",
    discussion: """
      A field is a path in anechoic.v1.SessionConfig, or labels.KEY. A value is as in proto3 JSON, \
      with quotes and the prefix of an enum left out at will. A field without a value goes back to \
      its default, a label without one goes away.
        anechoic sessions set call-1 preferred_mic_mode=VOICE_ISOLATION
        anechoic sessions set call-1 labels.room=kitchen mute.gesture_policy=ASK
        anechoic sessions set call-1 other_audio_ducking.level=MAX
        anechoic sessions set call-1 voice_processing.noise_suppression.enabled=false
        anechoic sessions set call-1 mute.gesture_decision_timeout=2.5s
        anechoic sessions set call-1 voice_processing.noise_suppression=
      """)

  @Argument(help: "ID or sessions/ID.")
  var name: SessionName

  @Argument(help: ArgumentHelp("What to change.", valueName: "field=value"))
  var fields: [KeyValue]

  @OptionGroup var options: SessionsOptions

  func run() async throws {
    var update: SessionUpdate
    do {
      update = try SessionUpdate(fields)
    } catch {
      throw CommandFailure("\(error)")
    }
    try await options.withClient { client in
      // The mask knows labels as a whole only: those that are not named have to be sent along.
      if update.changesLabels {
        update.keepLabels(of: try await client.get(name.description))
      }
      update.session.name = name.description
      let session = try await client.update(update.session, mask: update.mask)
      try LineFile("-").write(options.json ? session.jsonLine() : session.page)
    }
  }
}
