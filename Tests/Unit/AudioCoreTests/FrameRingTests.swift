import AudioCore
import Foundation
import Synchronization
import Testing

struct FrameRingTests {
  private func ring(_ capacity: Int) -> FrameRing<Int> {
    FrameRing(rate: .hz8000, channelCount: 2, capacity: capacity, note: -1)
  }

  @Test func framesComeInOrderWithTheirNotes() {
    let ring = ring(4)
    let frame = Frame(rate: .hz8000, channelCount: 2)
    for round in 0..<10 {
      for index in 0..<3 {
        frame.plane(0)[7] = Float(round * 3 + index)
        frame.plane(1)[79] = -Float(round * 3 + index)
        let hadRoom = ring.write(frame, round * 3 + index)
        #expect(hadRoom)
      }
      #expect(ring.count == 3)
      for index in 0..<3 {
        let note = ring.read(into: frame)
        #expect(note == round * 3 + index)
        #expect(frame.plane(0)[7] == Float(round * 3 + index))
        #expect(frame.plane(1)[79] == -Float(round * 3 + index))
      }
      let none = ring.read(into: frame)
      #expect(none == nil)
    }
  }

  @Test func aFullRingTakesNothing() {
    let ring = ring(2)
    let frame = Frame(rate: .hz8000, channelCount: 2)
    let hadRoom = (1...3).map { ring.write(frame, $0) }
    #expect(hadRoom == [true, true, false])
    var notes = [ring.read(into: frame)]
    let hasRoom = ring.write(frame, 4)
    #expect(hasRoom)
    for _ in 0..<3 { notes.append(ring.read(into: frame)) }
    #expect(notes == [1, 2, 4, nil])
  }

  @Test func theOldestAreDropped() {
    let ring = ring(8)
    let frame = Frame(rate: .hz8000, channelCount: 2)
    for index in 0..<6 { _ = ring.write(frame, index) }
    #expect(ring.drop(downTo: 2) == 4)
    #expect(ring.drop(downTo: 2) == 0)
    let notes = (0..<3).map { _ in ring.read(into: frame) }
    #expect(notes == [4, 5, nil])
    #expect(ring.drop(downTo: 0) == 0)
  }

  @Test func betweenTwoThreadsNothingIsLostOrTorn() {
    let ring = ring(8)
    let count = 50_000
    let writer = Thread {
      let frame = Frame(rate: .hz8000, channelCount: 2)
      for index in 0..<count {
        frame.plane(0)[0] = Float(index)
        frame.plane(1)[79] = Float(index)
        while !ring.write(frame, index) { sched_yield() }
      }
    }
    writer.start()
    let frame = Frame(rate: .hz8000, channelCount: 2)
    var (next, wrong) = (0, 0)
    let limit = ContinuousClock.now + .seconds(30)
    while next < count, ContinuousClock.now < limit {
      guard let note = ring.read(into: frame) else {
        sched_yield()
        continue
      }
      if note != next || frame.plane(0)[0] != Float(next) || frame.plane(1)[79] != Float(next) {
        wrong += 1
      }
      next += 1
    }
    #expect(next == count && wrong == 0)
  }
}
