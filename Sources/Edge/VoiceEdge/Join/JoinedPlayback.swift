internal import AnechoicAPI
internal import AudioCodecs
internal import AudioCore
internal import SessionWire

/// The playback of another device's session on its way to the loudspeaker: samples in the session's
/// format, converted to that of the mix. Belongs to the voice thread.
final class JoinedPlayback {
  /// The maximum number of frames of silence for one gap.
  private static let mostMissing: Int64 = 50

  let session: String
  let epoch: Int
  private let format: AudioFormat
  private let frame: Frame
  private let converted: Frame
  private var converter: FrameConverter
  /// The sample of the session that comes next. Nil before the first one.
  private var next: Int64?
  private var position: Int64 = 0

  init(
    _ session: String, _ format: AudioFormat, epoch: Int, mix: FrameRing<MixNote>
  ) throws(FrameResampler.ResamplingError) {
    self.session = session
    self.epoch = epoch
    self.format = format
    frame = Frame(rate: format.rate, channelCount: format.channelCount)
    converted = Frame(rate: mix.rate, channelCount: mix.channelCount)
    converter = try FrameConverter(
      from: format.rate, format.channelCount, to: mix.rate, mix.channelCount)
  }

  /// Writes the whole frames of a chunk to the mix. Silence takes the place of samples that the server has
  /// dropped, so that the delay stays the same. `now` is in ns of the monotonic clock.
  func write(_ chunk: Anechoic_V1_AudioChunk, to mix: FrameRing<MixNote>, now: Int64) {
    let size = Int64(frame.sampleCount)
    if let next, chunk.firstSample > next {
      frame.clear()
      for _ in 0..<min(Self.mostMissing, (chunk.firstSample - next) / size) {
        append(frame, to: mix, now: now)
      }
    }
    VoiceFrames.decode(chunk, format, into: frame) { frame, first in
      append(frame, to: mix, now: now)
      next = first + size
    }
  }

  private func append(_ frame: borrowing Frame, to mix: FrameRing<MixNote>, now: Int64) {
    converter.process(frame, into: converted)
    _ = mix.write(converted, MixNote(firstSample: position, time: now, epoch: epoch))
    position += Int64(converted.sampleCount)
  }
}

/// An agent that only plays the session of another device. All functions run on the voice thread.
extension EdgeVoice {
  func play(_ session: String, _ format: AudioFormat, epoch: Int) {
    do {
      playback = try JoinedPlayback(session, format, epoch: epoch, mix: parts.rings.mix)
    } catch {
      return log("playback: \(error)")
    }
    status.sessionCount += 1
    lowerOthersAtRest(nil)
    publish()
  }

  func received(_ chunk: Anechoic_V1_AudioChunk, epoch: Int) {
    guard let playback, playback.epoch == epoch else { return }
    playback.write(chunk, to: parts.rings.mix, now: MonotonicClock.nanoseconds)
  }

  func stopPlaying(epoch: Int) {
    guard playback?.epoch == epoch else { return }
    playback = nil
    lowerOthersAtRest(nil)
    publish()
  }

  /// Discards the record of the played sound, which has no reader here, and publishes the status on
  /// every tenth call.
  func idle() {
    parts.rings.played.drop(downTo: 0)
    timing.steps += 1
    if timing.steps.isMultiple(of: 10) { publish() }
  }
}
