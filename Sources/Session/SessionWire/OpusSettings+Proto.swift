internal import AnechoicAPI
internal import AudioCore

extension OpusSettings {
  init(
    _ settings: Anechoic_V1_OpusSettings, channelCount: Int, path: String
  ) throws(InvalidFieldError) {
    func check(_ value: UInt32, _ field: String, _ range: ClosedRange<Int>)
      throws(InvalidFieldError)
    {
      guard range.contains(Int(value)) else {
        throw InvalidFieldError(
          "\(path).\(field)",
          "\(value) is not supported; use \(range.lowerBound) to \(range.upperBound)")
      }
    }
    if settings.bitRate != 0 { try check(settings.bitRate, "bit_rate", Self.bitRates) }
    if settings.hasComplexity { try check(settings.complexity, "complexity", Self.complexities) }
    if settings.hasExpectedLossPercent {
      try check(settings.expectedLossPercent, "expected_loss_percent", Self.lossPercentages)
    }
    self.init(
      channelCount: channelCount, bitRate: settings.bitRate == 0 ? nil : Int(settings.bitRate),
      complexity: settings.hasComplexity ? Int(settings.complexity) : nil, hasFEC: settings.fec,
      expectedLoss: settings.hasExpectedLossPercent ? Int(settings.expectedLossPercent) : nil)
  }
}

extension Anechoic_V1_OpusSettings {
  init(_ settings: OpusSettings) {
    self.init()
    bitRate = UInt32(settings.bitRate)
    complexity = UInt32(settings.complexity)
    fec = settings.hasFEC
    expectedLossPercent = UInt32(settings.expectedLoss)
  }
}
