import AudioCodecs
import Testing

/// The codes of telephony, against the tables of ITU-T G.711.
struct G711Tests {
  @Test(arguments: [G711.muLaw, .aLaw])
  func everyCodeComesBack(law: G711) {
    for code in UInt8.min...UInt8.max where !(law == .muLaw && code == 0x7F) {
      #expect(law.code(law.sample(code)) == code)
    }
  }

  @Test func theEndsOfTheScalesAreThoseOfTheStandard() {
    #expect(G711.muLaw.samples([0xFF, 0x7F, 0x80, 0x00]) == [0, 0, 32124, -32124])
    #expect(G711.aLaw.samples([0xD5, 0x55, 0xAA, 0x2A]) == [8, -8, 32256, -32256])
    #expect(G711.muLaw.codes([0, .max, .min]) == [0xFF, 0x80, 0x00])
    #expect(G711.aLaw.codes([0, -1, .max, .min]) == [0xD5, 0x55, 0xAA, 0x2A])
  }

  @Test(arguments: [G711.muLaw, .aLaw])
  func theErrorOfASampleIsAtMostHalfAStep(law: G711) {
    for sample in stride(from: Int16.min, through: 32124, by: 7) {
      let error = abs(Int(law.sample(law.code(sample))) - Int(sample))
      // Each segment has 16 steps, and is twice as long as the one before.
      #expect(error <= max(16, abs(Int(sample)) / 30), "\(sample)")
    }
  }

  @Test func silenceHasTheCodeOfZero() {
    for law in [G711.muLaw, .aLaw] { #expect(law.code(0) == law.silence) }
  }
}
