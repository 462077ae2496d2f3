import Testing

@testable import VoiceSessions

struct EchoFitTests {
  @Test func anEchoThatLeavesIsLostWithinThreeFrames() {
    var fit = known()
    record(0.1, 2, &fit)
    #expect(!fit.isLost)
    record(0.1, 1, &fit)
    #expect(fit.isLost)
  }

  @Test func aFrameWithTheEchoStartsAgain() {
    var fit = known()
    for _ in 0..<20 {
      record(0.1, 2, &fit)
      record(0.5, 1, &fit)
    }
    #expect(!fit.isLost)
  }

  @Test func anEchoThatWasNeverKnownIsNotLost() {
    var fit = EchoFit()
    record(1, 49, &fit)
    record(0, 100, &fit)
    #expect(!fit.isLost)
  }

  @Test func aPauseOfTheFarEndSaysNothing() {
    var fit = known()
    record(0.1, 2, &fit)
    record(nil, 500, &fit)
    record(0.1, 1, &fit)
    #expect(fit.isLost)
  }

  @Test func anEchoIsFoundAgain() {
    var fit = known()
    record(0, 3, &fit)
    record(0.9, 29, &fit)
    #expect(fit.isLost)
    record(0.9, 1, &fit)
    #expect(!fit.isLost)
  }

  @Test(arguments: [nil, 0, 0.5] as [Float?])
  func aLossIsGivenUpAfterTwoSeconds(presence: Float?) {
    var fit = known()
    record(0, 3, &fit)
    record(presence, 199, &fit)
    #expect(fit.isLost)
    record(presence, 1, &fit)
    #expect(!fit.isLost)
    record(0, 500, &fit)
    #expect(!fit.isLost)
  }

  private func known() -> EchoFit {
    var fit = EchoFit()
    record(1, 60, &fit)
    return fit
  }

  private func record(_ presence: Float?, _ frames: Int, _ fit: inout EchoFit) {
    for _ in 0..<frames { fit.record(presence) }
  }
}
