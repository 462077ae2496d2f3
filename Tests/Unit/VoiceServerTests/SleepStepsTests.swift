import Testing

@testable import VoiceServer

@Suite struct SleepStepsTests {
  private let begin = ContinuousClock.now

  @Test func aLongSleepIsDividedSoThatACancelledOneKeepsLittle() {
    let steps = SleepSteps(until: begin + .seconds(3600))
    #expect(steps.next(at: begin) == SleepSteps.longest)
    #expect(steps.next(at: begin + .seconds(3599)) == .seconds(1))
    #expect(steps.next(at: begin + .seconds(3600)) == nil)
  }

  @Test func aShortSleepIsOneStep() {
    let steps = SleepSteps(until: begin + .milliseconds(20))
    #expect(steps.next(at: begin) == .milliseconds(20))
    #expect(steps.next(at: begin + .milliseconds(20)) == nil)
  }

  @Test func aCancelledSleepThrows() async {
    let sleep = Task { try await Task.sleep(inStepsFor: .seconds(3600)) }
    sleep.cancel()
    await #expect(throws: CancellationError.self) { try await sleep.value }
  }
}
