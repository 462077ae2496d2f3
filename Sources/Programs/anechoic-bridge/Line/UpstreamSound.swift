internal import Foundation

/// The sound of an upstream on its way to the playback: its format, and its conversion to the rate of the
/// microphone.
struct UpstreamSound {
  /// The format that the upstream uses, or nil for one that cannot be decoded. A change of the format
  /// starts a new conversion.
  var format: WireAudio? {
    didSet { if format != oldValue { restart() } }
  }
  private var conversion = RateConversion()
  /// The item that was decoded last, and the byte of a sample that is split between two of its messages.
  private var half: (item: String, byte: UInt8?) = ("", nil)

  init(format: WireAudio? = nil) { self.format = format }

  /// Decodes the sound of a message of an item. Returns nil if `text` is no sound.
  mutating func decode(_ text: String, of item: String) -> [Int16]? {
    WireAudio.bytes(text).flatMap { decode($0, of: item) }
  }

  /// Decodes bytes of an item. Returns nil if the format is not known.
  mutating func decode(_ bytes: Data, of item: String = "") -> [Int16]? {
    if item != half.item { half = (item, nil) }
    return format?.samples(bytes, after: &half.byte)
  }

  /// Returns samples at the rate of the microphone in Hz.
  mutating func convert(_ samples: [Int16], to rate: Int) -> [Int16] {
    conversion.convert(samples, from: format?.rate ?? rate, to: rate) ?? []
  }

  /// Starts a new conversion, because the microphone has another rate.
  mutating func restart() { conversion.restart() }
}
