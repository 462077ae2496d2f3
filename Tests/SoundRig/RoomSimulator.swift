public import AcousticSimulator
internal import Foundation
internal import Synchronization

/// A room between a loudspeaker and a microphone of the rig, live: what `spk` plays is heard in
/// `micbus` after a fixed time, through the room's response, with what people in the room say.
///
/// It keeps a fixed number of samples in flight: the path does not wander. From a recording of
/// `spk.monitor` to one of `micbus.monitor` clicks took 35 or 40 ms, by how the servers' blocks lay when
/// it began, and the same to the sample for 50 clicks in 25 s. Where the microphone's clock is another
/// the room hears by that clock, resampled. Where a machine is so busy that a bus runs dry, the path
/// grows by what was missing, which `jumps` tells; beyond 50 ms it is brought back.
public final class RoomSimulator: Sendable {
  /// Of the path, without the room's response; 10 ms more where the microphone's clock is another.
  public static let delay: ClosedRange<Duration> = .milliseconds(25) ... .milliseconds(50)

  private let path: RoomPath

  /// Returns when the path stands. Without a room it is a delay and no more. `echoReturnLoss` from
  /// the loudspeaker to the microphone in decibels; `noiseLevel` of white noise in dBFS, nil is none.
  public init(
    _ rig: SoundRig, from loudspeaker: String = "spk", to microphone: String = "micbus",
    room: Room? = .office, echoReturnLoss: Float = 6, noiseLevel: Float? = nil
  ) throws {
    var acoustics = RoomPath.Acoustics(room: room, echoGain: powf(10, -echoReturnLoss / 20))
    // Uniform noise has a third of its amplitude's square as power.
    acoustics.noiseAmplitude = noiseLevel.map { powf(10, $0 / 20) * Float(3).squareRoot() } ?? 0
    path = RoomPath(rig, loudspeaker, microphone, acoustics)
    Thread.detachNewThread { [path] in path.run() }
    guard waitUntil(within: .seconds(15), { path.isSettled }) else {
      stop()
      throw SoundRigError("no sound goes from \(loudspeaker) to \(microphone)")
    }
  }

  deinit { stop() }

  /// Somebody in the room says this, from now on or from a later moment. One channel at 48 kHz, as
  /// loud in the microphone as it is here.
  public func say(_ samples: [Float], after delay: Duration = .zero) {
    path.say(samples, after: Int(delay / .seconds(1) * 48000))
  }

  /// From now on the room is another: somebody moved, or a door opened.
  public func change(to room: Room?, echoReturnLoss: Float = 6) {
    path.change { ($0.room, $0.echoGain) = (room, powf(10, -echoReturnLoss / 20)) }
  }

  /// By how much the path became longer each time that it moved, or was too long when it was brought
  /// back.
  public var jumps: [Duration] { path.jumps }

  public func stop() { path.stop() }
}
