import Testing

@testable import VoiceSessions

struct ControlScheduleTests {
  @Test func aControlIsDueInTheFrameOfItsSample() throws {
    var schedule = ControlSchedule()
    try schedule.add(mute(1, at: 319))
    try schedule.add(mute(2, at: 320))
    #expect(ids(&schedule, 0..<160).isEmpty)
    #expect(ids(&schedule, 160..<320) == [1])
    #expect(ids(&schedule, 320..<480) == [2])
    #expect(schedule.isEmpty)
  }

  @Test func dueControlsComeBySampleAndThenByArrival() throws {
    var schedule = ControlSchedule()
    for (id, sample) in [(1, 150), (2, 20), (3, 150), (4, 0), (5, 20)] as [(UInt64, Int64)] {
      try schedule.add(mute(id, at: sample))
    }
    #expect(ids(&schedule, 0..<160) == [4, 2, 5, 1, 3])
  }

  @Test func tooManyAreRefusedAndTheRestIsKept() throws {
    var schedule = ControlSchedule()
    for id in 1...UInt64(ControlSchedule.capacity) { try schedule.add(mute(id, at: 500)) }
    let refusal = #expect(throws: Refusal.self) { try schedule.add(mute(99, at: 1)) }
    #expect(refusal?.kind == .tooMany)
    #expect(schedule.popAll().map(\.id) == Array(1...UInt64(ControlSchedule.capacity)))
    #expect(schedule.isEmpty)
  }

  @Test func otherClientsLeaveRoomForTheMediaClient() throws {
    var schedule = ControlSchedule()
    func add(_ id: UInt64) throws {
      let client = ControlOrigin(actor: "panel \(id / 4)", isMediaClient: false)
      try schedule.add(SessionControl(id: id, atSample: 500, by: client, .clearPlayback))
    }
    for id in 0..<UInt64(ControlSchedule.othersCapacity) {
      try add(id)
      if id % 4 == 3, id < 15 { #expect(throws: Refusal.self) { try add(id) } }
    }
    let refusal = #expect(throws: Refusal.self) { try add(99) }
    #expect(refusal?.reason == "TOO_MANY_CONTROLS")
    for id in 1...UInt64(ControlSchedule.capacity) { try schedule.add(mute(id, at: 500)) }
    let all = schedule.popAll()
    #expect(all.count == ControlSchedule.othersCapacity + ControlSchedule.capacity)
    try add(101)
  }

  @Test func theBudgetIsABurstAndThenOneForEachFrame() throws {
    var budget = ControlBudget.controls
    for _ in 0..<budget.burst { try budget.spend() }
    let refusal = #expect(throws: Refusal.self) { try budget.spend() }
    #expect(refusal?.kind == .tooMany && refusal?.reason == "TOO_MANY_CONTROLS")
    budget.refill()
    try budget.spend()
    #expect(throws: Refusal.self) { try budget.spend() }
  }

  @Test func theBudgetDoesNotGrowBeyondTheBurst() throws {
    var budget = ControlBudget.controls
    for _ in 0..<10_000 { budget.refill() }
    for _ in 0..<budget.burst { try budget.spend() }
    #expect(throws: Refusal.self) { try budget.spend() }
  }

  private func mute(_ id: UInt64, at sample: Int64) -> SessionControl {
    SessionControl(id: id, atSample: sample, by: .mediaClient, .mute(true, ifGeneration: nil))
  }

  private func ids(_ schedule: inout ControlSchedule, _ frame: Range<Int64>) -> [UInt64] {
    schedule.popDue(in: frame).map(\.id)
  }
}
