/// The sample rates of the types of audio messages.
///
/// Asterisk 21 uses 0x10 to 0x18 for its rates from 8 to 192 kHz. Some older programs send 16 kHz as
/// 0x11, so a type can have another rate.
public struct AudioTypes: Sendable, Equatable {
  private var rates: [UInt8: Int] = [
    0x10: 8000, 0x11: 12000, 0x12: 16000, 0x13: 24000, 0x14: 32000, 0x15: 44100, 0x16: 48000,
    0x17: 96000, 0x18: 192_000,
  ]

  public init() {}

  /// Returns the rate of a type in Hz.
  public subscript(type: UInt8) -> Int? {
    get { rates[type] }
    set { rates[type] = newValue }
  }
}
