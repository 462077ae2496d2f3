public import AnechoicAPI
public import AudioCore

extension AudioFormat {
  public init(_ format: Anechoic_V1_AudioFormat, path: String) throws(InvalidField) {
    let encoding: SampleEncoding
    switch format.encoding {
    case .pcmS16Le: encoding = .s16
    case .pcmF32Le: encoding = .f32
    case .opus: throw .unsupported("\(path).encoding")
    case .unspecified: throw InvalidField("\(path).encoding", "is required")
    case .UNRECOGNIZED(let value):
      throw InvalidField("\(path).encoding", "\(value) is not a known encoding")
    }
    guard let rate = SampleRate(rawValue: Int(format.sampleRateHz)) else {
      let known = SampleRate.allCases.map { String($0.hertz) }.joined(separator: ", ")
      throw InvalidField(
        "\(path).sample_rate_hz", "\(format.sampleRateHz) is not supported; use one of \(known)")
    }
    guard AudioFormat.channelCounts.contains(Int(format.channelCount)) else {
      throw InvalidField(
        "\(path).channel_count", "\(format.channelCount) is not supported; use 1 or 2")
    }
    self.init(encoding: encoding, rate: rate, channelCount: Int(format.channelCount))
  }
}

extension Anechoic_V1_AudioFormat {
  public init(_ format: AudioFormat) {
    self.init()
    encoding = Anechoic_V1_AudioEncoding(format.encoding)
    sampleRateHz = UInt32(format.rate.hertz)
    channelCount = UInt32(format.channelCount)
  }
}

extension Anechoic_V1_AudioEncoding {
  public init(_ encoding: SampleEncoding) {
    switch encoding {
    case .s16: self = .pcmS16Le
    case .f32: self = .pcmF32Le
    }
  }
}
