import AudioCore
import CAllocationCounter
import SpatialAudio
import TestAudio
import Testing

/// The allocations of the binaural renderer for its frames.
struct SpatialAllocationTests {
  @Test func renderingAllocatesNothing() throws {
    let count = BinauralRenderer.largestSourceCount
    let renderer = BinauralRenderer(try .generic(rate: .hz48000), sourceCount: count)
    let input = Frame(rate: .hz48000, channelCount: 1)
    let output = Frame(rate: .hz48000, channelCount: 2)
    for (index, sample) in Signals.noise(480).enumerated() { input.plane(0)[index] = sample }
    func run(frames: Int) -> Int64 {
      allocation_counter_start()
      for frame in 0..<frames {
        let head = HeadPose(yaw: Float(frame), pitch: 0, roll: 0) ?? .ahead
        for source in 0..<count {
          let placement = Placement(azimuth: Float(20 * source), elevation: 10, distance: 2)
          renderer.accept(
            input, of: source,
            SourceSetting(placement: placement, gain: 0.1, hasReflections: source % 2 == 0),
            head: head)
        }
        output.clear()
        renderer.add(to: output)
      }
      return allocation_counter_stop()
    }
    _ = run(frames: 5)
    #expect(run(frames: 100) == 0)
  }
}
