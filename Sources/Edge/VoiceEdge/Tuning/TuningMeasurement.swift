internal import AudioCore
public import EdgeAudio
internal import Foundation
internal import Synchronization

/// A measurement of the path from a loudspeaker to a microphone with an exponential sweep.
public struct TuningMeasurement: Sendable {
  /// The band in which responses are reported, in Hz.
  public static let band = 200.0...6000
  /// The rate of a measurement.
  private static let rate = SampleRate.hz48000
  /// The time for which the recording goes on after the sweep, in seconds.
  private static let tail = 1.0
  private static let longestStart = Duration.seconds(10)
  /// The number of attempts until two in a row agree, because a busy machine loses samples without a
  /// trace.
  private static let attempts = 6
  /// The difference in dB up to which two responses agree.
  private static let largestDifference = 1.5

  /// The delay in ms from the time at which the sound should be heard until it is captured.
  public let delay: Double
  private let response: ExponentialSweep.Response

  /// Measures two devices with the filters of a tuning. Takes about 10 s or more.
  ///
  /// - Parameter level: The level of the sweep in dBFS.
  public init(
    _ system: any AudioSystem, input: String, output: String, tuning: Tuning = Tuning(),
    level: Double
  ) throws(TuningError) {
    let sweep = ExponentialSweep(rate: Double(Self.rate.hertz), level: level)
    let recorder = Recorder(system, input: input, output: output, tuning, sweep.samples)
    defer { recorder.stop() }
    try recorder.start(within: Self.longestStart)
    let measured = try Self.measure(sweep, recorder)
    response = measured.response
    delay = measured.delay
  }

  private static func measure(
    _ sweep: ExponentialSweep, _ recorder: Recorder
  ) throws(TuningError) -> (response: ExponentialSweep.Response, delay: Double) {
    var problem = TuningError("")
    var last: (response: ExponentialSweep.Response, delay: Double)?
    for _ in 0..<attempts {
      do throws(TuningError) {
        let (samples, ahead) = try recorder.record(
          for: .seconds(ExponentialSweep.duration + tail))
        guard let response = sweep.response(in: samples) else {
          throw TuningError(
            "the microphone does not hear the loudspeaker; check both devices and their volumes")
        }
        let new = (
          response: response,
          delay: Double(response.delay) * 1000 / Double(rate.hertz) - ahead
        )
        if let last, last.response.difference(to: response, within: band) < largestDifference {
          return new
        }
        last = new
        problem = TuningError(
          "the measurements differ; the devices lose samples, another program plays (an agent that runs?), "
            + "or the room is loud")
      } catch {
        problem = error
      }
    }
    throw problem
  }

  /// Returns the level at a frequency in Hz, in dB.
  public func level(at frequency: Double) -> Double { response.level(at: frequency) }

  /// The largest deviation of the response from the middle of its extremes within `band`, in dB.
  public var deviation: Double {
    let steps = 60
    let (low, high) = (Self.band.lowerBound, Self.band.upperBound)
    return ResponseFit.deviation(
      (0...steps).map { level(at: low * pow(high / low, Double($0) / Double(steps))) })
  }

  /// Returns the tuning that flattens the response of the loudspeaker, or of the microphone.
  public func tuning(ofCapture: Bool) -> Tuning {
    let fit = ResponseFit({ level(at: $0) }, rate: Double(Self.rate.hertz))
    var tuning = Tuning()
    if ofCapture { tuning.capture = fit.direction } else { tuning.playback = fit.direction }
    tuning.delay = min(max(0, Int(delay.rounded())), Tuning.longestDelay)
    return tuning
  }
}

/// The reason why a measurement failed.
public struct TuningError: Error, Equatable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

/// The devices of a measurement.
private final class Recorder {
  private static let rate = SampleRate.hz48000

  private let ring: FrameRing<CaptureNote>
  private let microphone: DeviceLoop
  private let loudspeaker: DeviceLoop
  private let player: SweepPlayer
  private let capture = TuningSlot()

  init(
    _ system: any AudioSystem, input: String, output: String, _ tuning: Tuning, _ sound: [Float]
  ) {
    let devices = EdgeDevices(system: system, periodCount: 6, log: { _ in })
    ring = FrameRing(rate: Self.rate, channelCount: 1, capacity: 100, note: CaptureNote())
    microphone = devices.loop("microphone", .capture, Self.rate, 1, input)
    loudspeaker = devices.loop("loudspeaker", .playback, Self.rate, 2, output)
    capture.set(tuning.capture)
    player = SweepPlayer(sound, tuning.playback)
  }

  /// Starts both devices. Returns when they run.
  func start(within limit: Duration) throws(TuningError) {
    microphone.start("microphone") { [ring, capture, record = microphone.record] in
      CaptureStream(ring, record, tuning: capture, wake: {})
    }
    loudspeaker.start("loudspeaker") { [player] in
      PlaybackStream(rate: Self.rate, channelCount: 2, SweepRenderer(player, rate: Self.rate))
    }
    let end = ContinuousClock.now + limit
    while !microphone.record.value.isRunning || !loudspeaker.record.value.isRunning {
      let isLate = ContinuousClock.now >= end
      for loop in [microphone, loudspeaker] {
        if case .absent(let error) = loop.record.value.state, isLate || !error.mayPass {
          throw TuningError(error.description)
        }
      }
      guard !isLate else {
        throw TuningError("the devices transfer no audio")
      }
      usleep(20_000)
    }
  }

  /// Plays the sound and records it. Returns the recording, and the time in ms from its first sample to
  /// the moment at which the sound should be heard.
  func record(
    for time: Duration
  ) throws(TuningError) -> (samples: [Float], ahead: Double) {
    let faults = faultCount
    let frame = Frame(rate: Self.rate, channelCount: 1)
    let wanted = Int(time.seconds * Double(Self.rate.hertz))
    var samples: [Float] = []
    var capturedAt: Int64?
    ring.drop(downTo: 0)
    player.start()
    let end = ContinuousClock.now + time + .seconds(5)
    while samples.count < wanted {
      guard ContinuousClock.now < end else {
        throw TuningError("the microphone delivers no samples")
      }
      guard let note = ring.read(into: frame) else {
        usleep(3000)
        continue
      }
      if capturedAt == nil { capturedAt = note.time }
      samples += frame.plane(0)
    }
    guard faultCount == faults else {
      throw TuningError("the devices lost samples during the measurement; stop other programs")
    }
    guard let capturedAt, let heardAt = player.heardAt else {
      throw TuningError("the loudspeaker did not play")
    }
    return (samples, Double(heardAt - capturedAt) / 1e6)
  }

  func stop() {
    for loop in [microphone, loudspeaker] { loop.stop() }
    for loop in [microphone, loudspeaker] { loop.join() }
  }

  private var faultCount: Int {
    [microphone.record.value, loudspeaker.record.value].reduce(0) {
      $0 + $1.xruns + $1.droppedFrames + $1.openCount
    }
  }
}

/// The sound of a measurement. It starts when the measurement says so.
private final class SweepPlayer: Sendable {
  let sound: [Float]
  let tuning = TuningSlot()
  private let position = Atomic<Int>(Int.max)
  private let startedAt = Atomic<Int64>(0)

  init(_ sound: [Float], _ tuning: Tuning.Direction) {
    self.sound = sound
    self.tuning.set(tuning)
  }

  func start() {
    startedAt.store(0, ordering: .relaxed)
    position.store(0, ordering: .releasing)
  }

  /// The time at which the first sample is heard, in ns of the monotonic clock. Nil until it is known.
  var heardAt: Int64? {
    let time = startedAt.load(ordering: .acquiring)
    return time == 0 ? nil : time
  }

  /// Returns the index of the next samples, and moves on. Nil while nothing is to be played.
  func pop(_ count: Int, heardAt: Int64) -> Int? {
    let index = position.load(ordering: .acquiring)
    guard index < sound.count else { return nil }
    if index == 0 { startedAt.store(heardAt, ordering: .releasing) }
    position.store(index + count, ordering: .relaxed)
    return index
  }
}

/// A renderer of the sound of a measurement, through the filters of the loudspeaker.
private final class SweepRenderer: FrameRenderer {
  private let player: SweepPlayer
  private var filter: TuningFilter

  init(_ player: SweepPlayer, rate: SampleRate) {
    self.player = player
    filter = TuningFilter(player.tuning, rate: rate, channelCount: 2)
  }

  func begin() {}

  func render(into frame: borrowing Frame, heardAt: Int64) {
    frame.clear()
    if let first = player.pop(frame.sampleCount, heardAt: heardAt) {
      player.sound.withUnsafeBufferPointer { sound in
        for channel in 0..<frame.channelCount {
          let plane = frame.planePointers[channel]
          for index in 0..<min(frame.sampleCount, sound.count - first) {
            plane[index] = sound[first + index]
          }
        }
      }
    }
    filter.process(frame)
  }
}
