import AudioCore
import CAllocationCounter
import EdgeAudio
import Foundation
import Testing

@testable import VoiceEdge

/// The allocations on the threads of the edge agent's devices.
struct DeviceAllocationTests {
  /// As many filters as a direction may have.
  private static let tuning = {
    let slot = TuningSlot()
    slot.set(
      Tuning.Direction(
        level: -3,
        filters: (1...FilterShape.most).map {
          FilterShape(.peak, frequency: 500 * Double($0), gain: 3, quality: 1)
        }))
    return slot
  }()

  @Test func capturingAllocatesNothing() throws {
    let ring = FrameRing(rate: .hz16000, channelCount: 1, capacity: 8, note: CaptureNote())
    let stream = CaptureStream(
      ring, HealthRecord("microphone") { _ in }, tuning: Self.tuning, wake: {})
    let device = PacedDevice(rate: .hz48000, channelCount: 2)
    let frame = Frame(rate: .hz16000, channelCount: 1)
    try stream.begin(device)
    func run() throws -> Int {
      var frames = 0
      for _ in 0..<50 {
        _ = try stream.run(device)
        while ring.read(into: frame) != nil { frames += 1 }
      }
      return frames
    }
    _ = try run()
    allocation_counter_start()
    let frames = try run()
    #expect(allocation_counter_stop() == 0)
    #expect(frames > 0)
  }

  @Test func playingAllocatesNothing() throws {
    let mix = FrameRing(rate: .hz16000, channelCount: 1, capacity: 8, note: MixNote())
    let played = FrameRing(rate: .hz16000, channelCount: 1, capacity: 8, note: PlayedNote())
    let controls = LoudspeakerControls(volume: -6, testSound: [])
    let stream = PlaybackStream(
      rate: .hz16000, channelCount: 1,
      Loudspeaker(mix: mix, played: played, controls, tuning: Self.tuning))
    let device = PacedDevice(rate: .hz48000, channelCount: 2)
    let frame = Frame(rate: .hz16000, channelCount: 1)
    try stream.begin(device)
    var sample: Int64 = 0
    func run() throws -> Int {
      var frames = 0
      for _ in 0..<50 {
        _ = mix.write(frame, MixNote(firstSample: sample, epoch: 1))
        sample += 160
        _ = try stream.run(device)
        while let note = played.read(into: frame) { frames += note.mixSample >= 0 ? 1 : 0 }
      }
      return frames
    }
    _ = try run()
    allocation_counter_start()
    let frames = try run()
    #expect(allocation_counter_stop() == 0)
    #expect(frames > 0)
  }
}

/// A device that provides silence in real time.
private final class PacedDevice: PCMDevice {
  let format: DeviceFormat
  private var isReady = false

  init(rate: SampleRate, channelCount: Int) {
    format = DeviceFormat(
      rate: rate, channelCount: channelCount, periodSamples: rate.samplesPerFrame,
      bufferSamples: 4 * rate.samplesPerFrame, coding: "S16_LE")
  }

  let delay = 0

  func prepare() {}

  func resume() -> Bool { true }

  func wait(_ time: Duration) {
    usleep(10_000)
    isReady = true
  }

  func read(_ samples: UnsafeMutablePointer<Float>, atMost count: Int) -> Int {
    guard isReady else { return 0 }
    isReady = false
    samples.update(repeating: 0, count: format.periodSamples * format.channelCount)
    return format.periodSamples
  }

  func write(_ samples: UnsafePointer<Float>, atMost count: Int) -> Int { count }
}
