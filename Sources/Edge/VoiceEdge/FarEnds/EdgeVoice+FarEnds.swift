internal import AnechoicAPI
internal import AudioCore
internal import SwiftProtobuf
internal import VoiceClient

/// The named far ends on their way to the session.
extension EdgeVoice {
  /// Takes the next 10 ms of each named far end that has sound. Returns their peak.
  func readNamedFarEnds(into audio: inout Anechoic_V1_AudioInput) -> Float {
    var peak: Float = 0
    for (index, input) in parts.programs.namedFarEnds.enumerated()
    where input.next(into: buffers.namedFarEnd) {
      peak = max(peak, buffers.namedFarEnd.peak)
      audio.farEnds.append(
        .with {
          $0.farEndID = parts.slots.ids[index]
          $0.audio = VoiceFrames.chunk(buffers.namedFarEnd)
        })
    }
    return peak
  }

  /// Gives them to the local voice, if it is heard.
  func giveNamedFarEnds(_ audio: Anechoic_V1_AudioInput) {
    guard let local, local.isRunning, server.usesLocal else { return }
    for farEnd in audio.farEnds {
      guard let index = parts.slots.ids.firstIndex(of: farEnd.farEndID) else { continue }
      VoiceFrames.decode(farEnd.audio, into: buffers.namedFarEnd) { frame, _ in
        local.append(frame, toFarEnd: index)
      }
    }
  }

  /// Announces the far ends and their places in the start of a session.
  func addNamedFarEnds(to start: inout Anechoic_V1_Start) {
    guard !parts.slots.ids.isEmpty else { return }
    start.inputs.farEnds = parts.slots.ids.map { id in
      .with {
        $0.farEndID = id
        $0.format = VoiceFrames.format(configuration.audio.rate, 1)
      }
    }
    server.placesSeen = parts.slots.changes
    start.config.spatialAudio.sources = parts.slots.sources(besides: start.config)
  }

  /// Moves the far ends in the session if a program has moved one. Runs every 50 ms.
  func followPlaces() {
    if let local, local.isRunning { local.followPlaces() }
    guard server.link != nil, parts.slots.changes != server.placesSeen else { return }
    server.placesSeen = parts.slots.changes
    let sources = parts.slots.sources(besides: wantedSettings)
    sendControl {
      $0.updateConfig.config.spatialAudio.sources = sources
      $0.updateConfig.updateMask.paths = ["spatial_audio.sources"]
    }
  }
}
