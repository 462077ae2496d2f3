internal import AudioCore
internal import EchoAlignment
internal import Synchronization

/// The metadata of a frame that was played.
struct PlayedNote: BitwiseCopyable, Sendable {
  /// The time at which the frame's first sample is heard, in ns of the monotonic clock.
  var heardAt: Int64 = 0
  /// The index of that sample in the mix that `epoch` identifies. Negative for silence.
  var mixSample: Int64 = -1
  var epoch = 0
  /// The delay in samples that inserted silence and skips have added since the start.
  var added: Int64 = 0
  /// The playback rate from here on relative to the loudspeaker's clock, in parts per million.
  /// Positive if the mix is played faster.
  var rate = 0.0
}

/// The metadata of a frame of the mix on its way to the loudspeaker.
struct MixNote: BitwiseCopyable, Sendable {
  var firstSample: Int64 = 0
  /// The time at which the frame arrived, in ns of the monotonic clock.
  var time: Int64 = 0
  /// Identifies the timeline: each session has a new one, and so has each time without a server.
  var epoch = 0
}

/// The renderer of the mix, on the loudspeaker's clock, after the gain and the tuning. It keeps the played
/// samples for the voice thread. Belongs to the device's thread, except for its atomic values.
final class Loudspeaker: FrameRenderer {
  let mix: FrameRing<MixNote>
  let played: FrameRing<PlayedNote>
  private let controls: LoudspeakerControls
  private let frame: Frame
  private var playout: PlayoutBuffer
  private var offset: Int64 = 0  // From the buffer's sample count to the mix's.
  private var written: Int64 = 0
  private var epoch = -1
  private var gain: Float
  private var filter: TuningFilter

  init(
    mix: FrameRing<MixNote>, played: FrameRing<PlayedNote>, _ controls: LoudspeakerControls,
    tuning: TuningSlot = TuningSlot(), buffer: PlayoutBuffer.Settings = PlayoutBuffer.Settings()
  ) {
    self.mix = mix
    self.played = played
    self.controls = controls
    frame = Frame(rate: mix.rate, channelCount: mix.channelCount)
    playout = PlayoutBuffer(
      rate: mix.rate, channelCount: mix.channelCount, settings: buffer)
    gain = controls.gain
    filter = TuningFilter(tuning, rate: mix.rate, channelCount: mix.channelCount)
  }

  func begin() {
    mix.drop(downTo: 0)
    playout.clear()
  }

  func render(into output: borrowing Frame, heardAt reported: Int64) {
    let heardAt = reported + controls.delay
    while let note = mix.read(into: frame) {
      if note.epoch != epoch {
        // The remaining samples belong to another timeline.
        playout.clear()
        epoch = note.epoch
      }
      offset = note.firstSample - written
      playout.write(frame, at: note.time)
      written += Int64(frame.sampleCount)
    }
    var note = PlayedNote(heardAt: heardAt, epoch: epoch)
    let position = playout.position
    (note.rate, note.added) = (playout.status.deviation, playout.status.added)
    if playout.read(into: output, at: MonotonicClock.nanoseconds) {
      // The sample that is heard at exactly this time lies between two samples.
      note.mixSample = Int64(position.rounded(.down)) + offset
      let fraction = (position - position.rounded(.down)) / Double(mix.rate.hertz)
      note.heardAt -= Int64(fraction * 1e9)
    }
    applyVolume(output)
    filter.process(output)
    controls.addSounds(output, heardAt: heardAt)
    controls.publish(playout.status)
    _ = played.write(output, note)
  }

  private func applyVolume(_ output: borrowing Frame) {
    let target = controls.gain
    guard gain != 1 || target != 1 else { return }
    let step = (target - gain) / Float(output.sampleCount)
    for channel in 0..<output.channelCount {
      let plane = output.planePointers[channel]
      for index in 0..<output.sampleCount { plane[index] *= gain + step * Float(index + 1) }
    }
    gain = target
  }
}
