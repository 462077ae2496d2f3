import AudioCore
import Foundation
import TestAudio
import Testing
import VoiceEngines

/// A call of 10 minutes of media time, or of the hours in `ANECHOIC_SOAK`, such as 24h.
struct LongRunTests {
  private static let rate = SampleRate.hz16000
  private static let minuteFrames = 6000

  private static let minutes: Int = {
    let soak = ProcessInfo.processInfo.environment["ANECHOIC_SOAK"] ?? ""
    guard soak.last == "h", let hours = Int(soak.dropLast()) else { return 10 }
    return 60 * hours
  }()

  @Test(arguments: Candidate.all)
  func theLastMinuteSoundsLikeTheSecond(candidate: Candidate) throws {
    let rate = Self.rate
    let reference = EngineFormat.Reference(rate: rate, channelCount: 1)
    let engine = try candidate.engine.init(
      format: EngineFormat(rate: rate, channelCount: 1, reference: reference),
      settings: .standard)
    // The lengths have no common divisor, so that no minute is like another.
    var voice = Loop(Signals.babble(rate.hertz * 11, rate: rate, amplitude: 0.1, seed: 3))
    var echo = Loop(Signals.babble(rate.hertz * 7, rate: rate, seed: 7))
    var noise = Loop(Signals.noise(rate.hertz * 13, amplitude: 0.002, seed: 5))
    var late = DelayLine(delay: 640, channelCount: 1)
    let (microphone, played, heard, output) = (
      Box(rate), Box(rate), Box(rate), Box(rate)
    )
    var levels: [Float] = []
    for minute in 0..<Self.minutes {
      var energy: Float = 0
      for frame in 0..<Self.minuteFrames {
        if frame % 1000 == 0 {
          engine.apply(
            frame % 2000 == 0 ? .standard : EngineSettings(isolatesVoice: true), after: 0)
        }
        echo.fill(played.frame, isAdded: false)
        late.process(played.frame, into: heard.frame)
        voice.fill(microphone.frame, isAdded: false)
        noise.fill(microphone.frame, isAdded: true)
        microphone.frame.add(heard.frame, from: 0.5, to: 0.5)
        _ = engine.process(
          microphone: microphone.frame, reference: played.frame,
          conditions: EchoConditions(path: .steady), into: output.frame)
        energy += output.frame.meanSquare
      }
      try #require(energy.isFinite, "minute \(minute)")
      levels.append(Decibels.level(meanSquare: energy / Float(Self.minuteFrames)))
    }
    #expect(levels[1...].allSatisfy { abs($0 - levels[1]) < 3 }, "\(levels)")
  }

  /// A frame that closures and tuples can hold.
  private final class Box {
    let frame: Frame

    init(_ rate: SampleRate) { frame = Frame(rate: rate, channelCount: 1) }
  }

  /// A signal that repeats without end.
  private struct Loop {
    private let samples: [Float]
    private var next = 0

    init(_ samples: [Float]) { self.samples = samples }

    mutating func fill(_ frame: borrowing Frame, isAdded: Bool) {
      let plane = frame.plane(0)
      for index in plane.indices {
        plane[index] = samples[next] + (isAdded ? plane[index] : 0)
        next = next + 1 == samples.count ? 0 : next + 1
      }
    }
  }
}
