import AnechoicAPI
import SwiftProtobuf
import Testing
import TestTime

@testable import VoiceEdge

@Suite(.timeLimit(.minutes(1)))
struct OutboxTests {
  private func audio(_ index: Int64) -> Outbox.Item {
    .audio(.with { $0.microphone.firstSample = index })
  }

  private func name(_ item: Outbox.Item?) -> String {
    switch item {
    case .audio(let audio): "audio \(audio.microphone.firstSample)"
    case .report(let report): "report \(report.firstSample)"
    case .control(let control): "control \(control.controlID)"
    case .device: "device"
    case .pose(let pose): "pose \(pose.deviceTimeNs)"
    case nil: "end"
    }
  }

  @Test func itemsComeOutInOrder() async {
    let outbox = Outbox()
    outbox.put(audio(1))
    outbox.put(.control(.with { $0.controlID = 2 }))
    outbox.put(.report(.with { $0.firstSample = 3 }))
    outbox.put(.device(.init()))
    var names: [String] = []
    for _ in 0..<4 { names.append(name(await outbox.next())) }
    #expect(names == ["audio 1", "control 2", "report 3", "device"])
  }

  @Test func theNewestPosesWaitAsManyAsTheServerKeeps() async {
    let outbox = Outbox()
    outbox.put(audio(1))
    for time in 0..<70 { outbox.put(.pose(.with { $0.deviceTimeNs = Int64(time) })) }
    #expect(name(await outbox.next()) == "audio 1")
    for time in 6..<70 { #expect(name(await outbox.next()) == "pose \(time)") }
    outbox.put(.control(.with { $0.controlID = 1 }))
    #expect(name(await outbox.next()) == "control 1")
  }

  @Test func theOldestAudioIsDroppedAfter200Milliseconds() async {
    let outbox = Outbox()
    outbox.put(.control(.with { $0.controlID = 1 }))
    let dropped = (0..<25).map { outbox.put(audio(Int64($0))) }
    #expect(dropped == [Bool](repeating: false, count: 20) + [Bool](repeating: true, count: 5))
    #expect(outbox.droppedCount == 5)
    #expect(name(await outbox.next()) == "control 1")
    #expect(name(await outbox.next()) == "audio 5")
  }

  @Test func nothingElseIsDropped() async {
    let outbox = Outbox()
    for index in 0..<100 {
      outbox.put(.control(.with { $0.controlID = UInt64(index) }))
      outbox.put(.report(.with { $0.firstSample = Int64(index) }))
      outbox.put(audio(Int64(index)))
    }
    outbox.put(.device(.init()))
    var names: [String] = []
    for _ in 0..<221 { names.append(name(await outbox.next())) }
    #expect(names.filter { $0.hasPrefix("control") }.count == 100)
    #expect(names.filter { $0.hasPrefix("report") }.count == 100)
    #expect(names.filter { $0.hasPrefix("audio") } == (80..<100).map { "audio \($0)" })
    #expect(names.last == "device")
  }

  @Test func aWaitingTaskGetsTheNextItem() async {
    let outbox = Outbox()
    async let next = outbox.next()
    async let put: Void = {
      try? await realTime(.milliseconds(20))
      outbox.put(self.audio(7))
    }()
    await put
    #expect(name(await next) == "audio 7")
  }

  @Test func theEndReachesWaitingAndLaterTasks() async {
    let outbox = Outbox()
    async let next = outbox.next()
    async let close: Void = {
      try? await realTime(.milliseconds(20))
      outbox.close()
    }()
    await close
    #expect(name(await next) == "end")
    #expect(!outbox.put(audio(1)))
    #expect(name(await outbox.next()) == "end")
    outbox.close()
  }
}
