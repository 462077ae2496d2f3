internal import AudioCore
internal import EchoAlignment
internal import EdgeAudio
internal import Synchronization

/// The devices of the voice: the microphone, the loudspeaker and its loopback, each with a thread, and
/// the rings through which the voice thread exchanges frames with them.
final class VoiceDevices: Sendable {
  let microphone: DeviceLoop
  let loudspeaker: DeviceLoop
  let loopback: DeviceLoop
  let controls: LoudspeakerControls
  let rings: EdgeRings
  let tunings: Tunings
  let lamps: MicrophoneLamps
  /// Creates loops for other devices.
  let devices: EdgeDevices
  private let programHealth = Mutex<@Sendable () -> [(String, DeviceHealth)]>({ [] })

  init(
    _ configuration: EdgeConfiguration, system: any AudioSystem,
    log: @escaping @Sendable (String) -> Void
  ) {
    let audio = configuration.audio
    devices = EdgeDevices(system: system, periodCount: audio.periods, log: log)
    lamps = MicrophoneLamps(configuration.microphone.lamps, log: log)
    microphone = devices.loop(
      "microphone", .capture, audio.rate, audio.inputChannels, nil,
      isOpen: configuration.microphone.open == .always, opened: lamps.opened)
    // An agent that only plays has no calls.
    let plays = configuration.session.join != nil
    loudspeaker = devices.loop(
      "loudspeaker", .playback, audio.rate, audio.outputChannels, nil, isOpen: plays)
    loopback = devices.loop(
      "loopback", .capture, audio.rate, audio.outputChannels, nil, isOpen: plays)
    rings = EdgeRings(
      audio, microphone: microphone.record, loudspeaker: loudspeaker.record
    ) { [selection = microphone.selection] in
      selection.setOpen($0)
    } openLoudspeaker: { [loudspeaker, loopback] isOpen in
      for loop in [loudspeaker, loopback] { loop.selection.setOpen(isOpen) }
    }
    controls = LoudspeakerControls(
      volume: audio.volume, testSound: ChirpTest.sound(audio.rate),
      chime: TalkerNotice.chime(audio.rate))
    tunings = Tunings(configuration, controls)
  }

  /// The health of the devices, and of those of programs.
  var health: [(role: String, health: DeviceHealth)] {
    [
      ("microphone", microphone.record.value), ("loudspeaker", loudspeaker.record.value),
      ("loopback", loopback.record.value),
    ].filter { $0.0 != "loopback" || $0.1.device != nil } + programHealth.withLock { $0 }()
  }

  /// Adds the devices of programs to the health.
  func addHealth(of programs: EdgePrograms) {
    programHealth.withLock { $0 = programs.healthReader }
  }

  /// Uses the devices of another route. Nil for none.
  func select(_ port: EdgeConfiguration.Port?) {
    tunings.select(port)
    microphone.selection.select(port?.input, port?.inputMap ?? ChannelMap())
    loudspeaker.selection.select(port?.output, port?.outputMap ?? ChannelMap())
    loopback.selection.select(port?.loopback)
  }

  /// Starts the threads. `wake` runs when a frame of the microphone has come.
  func start(buffer: PlayoutBuffer.Settings, wake: @escaping @Sendable () -> Void) {
    microphone.start("microphone") { [rings, tunings, record = microphone.record] in
      CaptureStream(
        rings.capture, reference: rings.referenceChannels, record, tuning: tunings.capture,
        wake: wake)
    }
    loopback.start("loopback") { [rings, record = loopback.record] in
      CaptureStream(rings.loopback, record, wake: {})
    }
    loudspeaker.start("loudspeaker") { [rings, controls, tunings] in
      PlaybackStream(
        rate: rings.mix.rate, channelCount: rings.mix.channelCount,
        Loudspeaker(
          mix: rings.mix, played: rings.played, controls, tuning: tunings.playback,
          buffer: buffer))
    }
  }

  func stop() { for loop in [microphone, loudspeaker, loopback] { loop.stop() } }

  func join() { for loop in [microphone, loudspeaker, loopback] { loop.join() } }
}
