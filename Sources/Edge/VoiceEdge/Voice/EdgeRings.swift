internal import AudioCore

/// The rings between the device threads and the voice thread.
struct EdgeRings: Sendable {
  let capture: FrameRing<CaptureNote>
  /// The sound of the loudspeaker, from the loopback's stream.
  let loopback: FrameRing<CaptureNote>
  /// The sound of the loudspeaker, from channels of the microphone's stream.
  let referenceChannels: FrameRing<CaptureNote>
  let mix: FrameRing<MixNote>
  let played: FrameRing<PlayedNote>
  /// Returns the health of the microphone.
  let captureHealth: @Sendable () -> DeviceHealth
  /// Returns the health of the loudspeaker.
  let loudspeakerHealth: @Sendable () -> DeviceHealth
  /// Opens or closes the microphone. Returns at once.
  let openMicrophone: @Sendable (_ isOpen: Bool) -> Void
  /// Opens or closes the loudspeaker and its loopback. Returns at once.
  let openLoudspeaker: @Sendable (_ isOpen: Bool) -> Void

  /// Creates the rings. Each holds half a second.
  init(
    _ audio: EdgeConfiguration.Audio, microphone: HealthRecord, loudspeaker: HealthRecord,
    openMicrophone: @escaping @Sendable (_ isOpen: Bool) -> Void,
    openLoudspeaker: @escaping @Sendable (_ isOpen: Bool) -> Void
  ) {
    capture = FrameRing(
      rate: audio.rate, channelCount: audio.inputChannels, capacity: 50, note: CaptureNote())
    loopback = FrameRing(
      rate: audio.rate, channelCount: audio.outputChannels, capacity: 50, note: CaptureNote())
    referenceChannels = FrameRing(
      rate: audio.rate, channelCount: audio.outputChannels, capacity: 50, note: CaptureNote())
    mix = FrameRing(
      rate: audio.rate, channelCount: audio.outputChannels, capacity: 50, note: MixNote())
    played = FrameRing(
      rate: audio.rate, channelCount: audio.outputChannels, capacity: 50, note: PlayedNote())
    captureHealth = { microphone.value }
    loudspeakerHealth = { loudspeaker.value }
    self.openMicrophone = openMicrophone
    self.openLoudspeaker = openLoudspeaker
  }
}

/// The connections to programs.
final class EdgePrograms {
  let farEnd: ProgramInput?
  /// The named far ends, in the order of the slots.
  let namedFarEnds: [ProgramInput]
  let otherAudio: ProgramInput?
  let voice: ProgramOutput?

  init(
    _ configuration: EdgeConfiguration, _ devices: EdgeDevices, _ slots: FarEndSlots,
    wake: @escaping @Sendable () -> Void
  ) {
    let (programs, audio) = (configuration.programs, configuration.audio)
    farEnd = programs.farEnd.map {
      ProgramInput(
        $0, title: "far-end", rate: audio.rate, channelCount: programs.farEndChannels, devices,
        wake: wake)
    }
    namedFarEnds = slots.inputs(devices, wake: wake)
    otherAudio = programs.otherAudio.map {
      ProgramInput(
        $0, title: "other-audio", rate: audio.rate, channelCount: programs.otherAudioChannels,
        devices, wake: wake)
    }
    voice = programs.voice.map {
      ProgramOutput(
        $0, title: "voice", rate: audio.rate, channelCount: audio.inputChannels, devices,
        wake: wake)
    }
  }

  /// Returns the health of the programs' devices. May be called on any thread.
  var healthReader: @Sendable () -> [(String, DeviceHealth)] {
    let records =
      [("far-end", farEnd?.record)] + namedFarEnds.map { ("far-end", $0.record) }
      + [("other-audio", otherAudio?.record), ("voice", voice?.record)]
    return { records.compactMap { role, record in record.map { (role, $0.value) } } }
  }

  func stop() {
    farEnd?.stop()
    namedFarEnds.forEach { $0.stop() }
    otherAudio?.stop()
    voice?.stop()
  }

  func join() {
    farEnd?.join()
    namedFarEnds.forEach { $0.join() }
    otherAudio?.join()
    voice?.join()
  }
}
