public import AcousticSimulator
internal import Foundation
internal import Synchronization

/// A live room between a loudspeaker and a microphone of the rig. The sound that `spk` plays is
/// heard in `micbus` after a fixed time, through the room's response, together with the people in
/// the room.
///
/// The number of samples in flight is constant, so the path does not wander. From a recording of
/// `spk.monitor` to one of `micbus.monitor`, clicks took 35 or 40 ms, depending on the phase of the
/// servers' blocks at the start, and the time stayed the same to the sample for 50 clicks in 25 s.
/// If the microphone has another clock, the room is resampled to that clock. On a machine that is
/// so busy that a bus runs dry, the path becomes longer by the missing time, which `jumps` reports.
/// Beyond 50 ms the path is shortened again.
public final class RoomSimulator: Sendable {
  /// The delay of the path without the room's response. Add 10 ms if the microphone has another
  /// clock.
  public static let delay: ClosedRange<Duration> = .milliseconds(25) ... .milliseconds(50)

  private let path: RoomPath

  /// Starts a room. Returns when the path is complete. Without a room, the path is only a delay.
  /// `echoReturnLoss` is the attenuation from loudspeaker to microphone in dB. `noiseLevel` is the
  /// level of white noise in dBFS, or nil for none. `colour` is the impulse response of the loudspeaker.
  public init(
    _ rig: SoundRig, from loudspeaker: String = "spk", to microphone: String = "micbus",
    room: Room? = .office, echoReturnLoss: Float = 6, noiseLevel: Float? = nil,
    colour: [Float] = [1]
  ) throws {
    var acoustics = RoomPath.Acoustics(room: room, echoGain: powf(10, -echoReturnLoss / 20))
    // The power of uniform noise is a third of the square of its amplitude.
    acoustics.noiseAmplitude = noiseLevel.map { powf(10, $0 / 20) * Float(3).squareRoot() } ?? 0
    acoustics.colour = colour
    path = RoomPath(rig, loudspeaker, microphone, acoustics)
    Thread.detachNewThread { [path] in path.run() }
    guard waitUntil(within: .seconds(15), { path.isSettled }) else {
      stop()
      throw SoundRigError("no sound goes from \(loudspeaker) to \(microphone)")
    }
  }

  deinit { stop() }

  /// Lets a person in the room talk, now or after a delay. The samples have one channel at 48 kHz
  /// and the same level in the microphone as here.
  public func say(_ samples: [Float], after delay: Duration = .zero) {
    path.say(samples, after: Int(delay / .seconds(1) * 48000))
  }

  /// Replaces the room, as when somebody moves or a door opens.
  public func change(to room: Room?, echoReturnLoss: Float = 6) {
    path.change { ($0.room, $0.echoGain) = (room, powf(10, -echoReturnLoss / 20)) }
  }

  /// The changes of the path's length: the time by which it became longer each time, or was too
  /// long when it was shortened.
  public var jumps: [Duration] { path.jumps }

  public func stop() { path.stop() }
}
