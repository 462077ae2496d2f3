import Testing

@testable import AnechoicEngine

@Suite struct BandsTests {
  @Test(arguments: [81, 161, 321, 481])
  func equalGainsOfBandsAreTheGainOfEachBin(bins: Int) {
    let bands = Bands(bins: bins)
    let gains = [Float](repeating: 0.25, count: Bands.count)
    var result = [Float](repeating: -1, count: bins)
    bands.interpolate(gains, into: &result)
    #expect(result.prefix(bands.bins).allSatisfy { abs($0 - 0.25) < 1e-6 })
    #expect(result.dropFirst(bands.bins).allSatisfy { $0 == -1 })
  }

  @Test func aBandHasTheMeanPowerOfItsBins() {
    let bands = Bands(bins: 161)
    let powers = [Float](repeating: 3, count: 161)
    var result = [Float](repeating: 0, count: Bands.count)
    bands.average(powers, into: &result)
    #expect(result.allSatisfy { abs($0 - 3) < 1e-5 })
  }

  @Test func binsBelowThreeKilohertzAreBandsOfTheirOwn() {
    let bands = Bands(bins: 161)
    var powers = [Float](repeating: 0, count: 161)
    powers[17] = 1
    var result = [Float](repeating: 0, count: Bands.count)
    bands.average(powers, into: &result)
    #expect(result[17] == 1)
    #expect(result.reduce(0, +) == 1)
  }
}
