import AudioCore
import Testing

@testable import AnechoicEngine

struct StateHoldTests {
  private static let pause: Float = 1e-6
  private static let ones = [Float](repeating: 1, count: MaskNetwork.fullBandStateCount)

  private static let zeros = [Float](repeating: 0, count: MaskNetwork.fullBandStateCount)

  /// A network whose states were held at 0 in a pause, and that has left them since.
  private struct Pause: ~Copyable {
    let network: MaskNetwork
    var hold = StateHold()

    init(power: Float = StateHoldTests.pause, frames: Int = 401) throws {
      network = MaskNetwork(
        weights: try EngineWeights.get().maskNetwork, kernels: .best, work: .forWork())
      for _ in 0..<frames { record(0, power: power) }
      network.setFullBandState(ones)
    }

    mutating func record(_ probability: Float, power: Float, farEndPlays: Bool = false) {
      hold.record(
        probability, power: power, farEndPlays: farEndPlays, quietRoomState: zeros, network)
    }

    /// Returns whether a frame of this power pulls the states back.
    mutating func isPulled(by power: Float, probability: Float = 0) -> Bool {
      let before = network.fullBandState[0]
      record(probability, power: power)
      return network.fullBandState[0] < before
    }
  }

  @Test func aLongPauseHoldsTheStates() throws {
    var pause = try Pause()
    for power in [0, Self.pause / 100, Self.pause, 3 * Self.pause] {
      let isPulled = pause.isPulled(by: power)
      #expect(isPulled, "\(power)")
    }
  }

  @Test func aLouderSoundFreesThemForHalfASecond() throws {
    var pause = try Pause()
    var pulled = (0..<200).filter { _ in pause.isPulled(by: 5 * Self.pause) }
    #expect(pulled.isEmpty)
    pulled = (0..<60).filter { _ in pause.isPulled(by: Self.pause) }
    #expect(pulled.first == 49)
  }

  @Test(arguments: [0, 1e-6] as [Float])
  func noiseThatStaysIsAPartOfThePauseAfterAQuarterOfAMinute(before: Float) throws {
    var pause = try Pause(power: before)
    let pulled = (0..<2000).filter { _ in pause.isPulled(by: 1e-4) }
    #expect((1400..<1550).contains(try #require(pulled.first)))
  }

  @Test func aVoiceEndsThePause() throws {
    var pause = try Pause()
    let isPulledByVoice = pause.isPulled(by: Self.pause, probability: 0.5)
    let isPulledAfterwards = pause.isPulled(by: Self.pause)
    #expect(!isPulledByVoice && !isPulledAfterwards)
  }

  @Test func aSecondOfAQuietRoomBeginsTheCallAnew() throws {
    var pause = try Pause(power: 1e-7, frames: 98)
    var pulled = pause.isPulled(by: 1e-7)
    #expect(!pulled)
    pulled = pause.isPulled(by: 1e-7)
    #expect(pulled && pause.network.fullBandState == [Float](repeating: 0, count: 96))
    pause.network.setFullBandState(Self.ones)
    let pulledAgain = (0..<250).filter { _ in pause.isPulled(by: 1e-7) }
    #expect(pulledAgain.isEmpty)
  }

  @Test(arguments: [(2e-6, false), (1e-7, true)] as [(Float, Bool)])
  func noiseOrAFarEndInThePauseLeavesTheStates(power: Float, farEndPlays: Bool) throws {
    var pause = try Pause(power: power, frames: 0)
    for _ in 0..<200 { pause.record(0, power: power, farEndPlays: farEndPlays) }
    #expect(pause.network.fullBandState[0] == 1)
  }
}
