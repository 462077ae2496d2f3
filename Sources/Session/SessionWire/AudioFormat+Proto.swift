public import AnechoicAPI
public import AudioCore

extension AudioFormat {
  /// Converts the format of an input.
  public init(input format: Anechoic_V1_AudioFormat, path: String) throws(InvalidFieldError) {
    guard !format.hasOpus else {
      throw InvalidFieldError("\(path).opus", "is only for outputs; a decoder has no settings")
    }
    try self.init(format, path: path)
  }

  /// Converts the format of an output.
  public init(output format: Anechoic_V1_AudioFormat, path: String) throws(InvalidFieldError) {
    try self.init(format, path: path)
    guard format.hasOpus else { return }
    guard opus != nil else {
      throw InvalidFieldError("\(path).opus", "requires the encoding AUDIO_ENCODING_OPUS")
    }
    opus = try OpusSettings(format.opus, channelCount: channelCount, path: "\(path).opus")
  }

  private init(_ format: Anechoic_V1_AudioFormat, path: String) throws(InvalidFieldError) {
    let encoding: SampleEncoding
    var rates = SampleRate.allCases
    switch format.encoding {
    case .pcmS16Le: encoding = .s16
    case .pcmF32Le: encoding = .f32
    case .opus: (encoding, rates) = (.f32, OpusSettings.sampleRates)
    case .unspecified: throw InvalidFieldError("\(path).encoding", "is required")
    case .UNRECOGNIZED(let value):
      throw InvalidFieldError("\(path).encoding", "\(value) is not a known encoding")
    }
    guard let rate = SampleRate(rawValue: Int(format.sampleRateHz)), rates.contains(rate) else {
      let known = rates.map { String($0.hertz) }.joined(separator: ", ")
      let place = format.encoding == .opus ? " with Opus" : ""
      throw InvalidFieldError(
        "\(path).sample_rate_hz",
        "\(format.sampleRateHz) is not supported\(place); use one of \(known)")
    }
    guard AudioFormat.channelCounts.contains(Int(format.channelCount)) else {
      throw InvalidFieldError(
        "\(path).channel_count", "\(format.channelCount) is not supported; use 1 or 2")
    }
    let channelCount = Int(format.channelCount)
    self.init(
      encoding: encoding, rate: rate, channelCount: channelCount,
      opus: format.encoding == .opus ? OpusSettings(channelCount: channelCount) : nil)
  }
}

extension Anechoic_V1_AudioFormat {
  /// Creates the format of an input, or of an output without the settings of its encoder.
  public init(_ format: AudioFormat) {
    self.init()
    encoding = format.opus == nil ? Anechoic_V1_AudioEncoding(format.encoding) : .opus
    sampleRateHz = UInt32(format.rate.hertz)
    channelCount = UInt32(format.channelCount)
  }

  /// Creates the format of an output, with the settings of its encoder.
  public init(output format: AudioFormat) {
    self.init(format)
    if let settings = format.opus { opus = Anechoic_V1_OpusSettings(settings) }
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
