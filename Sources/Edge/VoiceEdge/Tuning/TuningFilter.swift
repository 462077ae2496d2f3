internal import AudioCore
internal import Foundation

/// The filters of one direction on the frame path. Belongs to the device's thread.
struct TuningFilter: ~Copyable {
  private let slot: TuningSlot
  private let rate: SampleRate
  private let channelCount: Int
  private let sections: UnsafeMutablePointer<FilterShape.Coefficients>
  private let memory: UnsafeMutablePointer<(Double, Double)>
  private var sectionCount = 0
  private var gain: Float = 1
  private var generation = -1

  init(_ slot: TuningSlot, rate: SampleRate, channelCount: Int) {
    self.slot = slot
    self.rate = rate
    self.channelCount = channelCount
    sections = .allocate(capacity: FilterShape.most)
    sections.initialize(repeating: FilterShape.Coefficients(), count: FilterShape.most)
    memory = .allocate(capacity: FilterShape.most * channelCount)
    memory.initialize(repeating: (0, 0), count: FilterShape.most * channelCount)
  }

  deinit {
    sections.deallocate()
    memory.deallocate()
  }

  /// Filters a frame in place. Runs per frame: no allocation, lock, log or await, except after a change
  /// of the tuning.
  mutating func process(_ frame: borrowing Frame) {
    if slot.generation != generation { update() }
    guard sectionCount > 0 || gain != 1 else { return }
    for channel in 0..<channelCount {
      let plane = frame.planePointers[channel]
      for index in 0..<frame.sampleCount { plane[index] *= gain }
      for section in 0..<sectionCount {
        let filter = sections[section]
        var (s1, s2) = memory[section * channelCount + channel]
        for index in 0..<frame.sampleCount {
          let x = Double(plane[index])
          let y = filter.b0 * x + s1
          s1 = filter.b1 * x - filter.a1 * y + s2
          s2 = filter.b2 * x - filter.a2 * y
          plane[index] = Float(y)
        }
        // Denormal numbers in a decaying tail are slow to compute and inaudible.
        memory[section * channelCount + channel] = (
          abs(s1) < 1e-30 ? 0 : s1, abs(s2) < 1e-30 ? 0 : s2
        )
      }
      for index in 0..<frame.sampleCount { plane[index] = max(-1, min(1, plane[index])) }
    }
  }

  private mutating func update() {
    generation = slot.generation
    let tuning = slot.current
    gain = Float(pow(10, tuning.level / 20))
    sectionCount = min(FilterShape.most, tuning.filters.count)
    for index in 0..<sectionCount {
      sections[index] = tuning.filters[index].coefficients(Double(rate.hertz))
    }
    memory.update(repeating: (0, 0), count: FilterShape.most * channelCount)
  }
}
