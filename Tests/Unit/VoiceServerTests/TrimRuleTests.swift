import Testing

@testable import VoiceServer

@Suite struct TrimRuleTests {
  private static let size = 100 << 20
  private var rule = TrimRule(checkInterval: .seconds(1))

  @Test mutating func aProcessThatGrowsIsTrimmedAtTheNextCheck() {
    #expect(due([Self.size, Self.size + TrimRule.growth - 1]) == [false, false])
    #expect(due([Self.size + TrimRule.growth]) == [true])
  }

  @Test mutating func growthCountsFromTheSmallestSizeSinceTheLastTrim() {
    #expect(due([Self.size, Self.size - TrimRule.growth, Self.size]) == [false, false, true])
  }

  @Test mutating func aProcessThatStaysLargeAfterTrimmingIsNotTrimmedAgainAtOnce() {
    #expect(due([Self.size, Self.size * 2]) == [false, true])
    rule.recordTrim(resident: Self.size * 2)
    #expect(due([Self.size * 2]) == [false])
  }

  @Test mutating func aProcessOfSteadySizeIsTrimmedEveryFiveSeconds() {
    let sizes = [Int](repeating: Self.size, count: 5)
    #expect(due(sizes) == [false, false, false, false, true])
    rule.recordTrim(resident: Self.size)
    #expect(due(sizes) == [false, false, false, false, true])
  }

  private mutating func due(_ sizes: [Int]) -> [Bool] {
    sizes.map { rule.isDue(resident: $0) }
  }
}
