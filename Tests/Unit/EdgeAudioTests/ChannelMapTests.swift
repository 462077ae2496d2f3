import Testing

@testable import EdgeAudio

/// The channels of a device, by number and by position.
struct ChannelMapTests {
  @Test(arguments: [
    ("1", DeviceChannel.number(1)), ("32", .number(32)), ("FL", .position("FL")),
    ("LFE", .position("LFE")), ("0", nil), ("33", nil), ("-1", nil), ("fl", nil), ("", nil),
    ("UNKNOWN", nil),
  ])
  func aChannelIsANumberOrAPosition(text: String, channel: DeviceChannel?) {
    #expect(DeviceChannel(text) == channel)
  }

  @Test func aDeviceWithoutPositionsHasTheUsualOnes() throws {
    let six = ChannelPositions(count: 6)
    #expect(six.index(of: .position("LFE")) == 5 && six.index(of: .number(6)) == 5)
    #expect(six.index(of: .number(7)) == nil && six.index(of: .position("SL")) == nil)
    #expect(ChannelPositions(count: 5).index(of: .position("FL")) == nil)
    #expect(try ChannelPositions(count: 4).indices(of: [.position("RR"), .number(1)]) == [3, 0])
  }

  @Test func theFirstMissingChannelIsNamed() {
    let positions = ChannelPositions(count: 2, reported: ["FL", "LFE"])
    #expect(positions.index(of: .position("LFE")) == 1)
    #expect(throws: MissingChannelError.self) {
      try positions.indices(of: [.number(1), .position("FR")])
    }
    let missing = MissingChannelError(channel: .position("FR"), positions: positions)
    #expect(missing.description == "has no channel FR; it has 2 channels: FL, LFE")
  }

  @Test(arguments: [
    ("Headphone Jack", JackName(name: "Headphone Jack")),
    ("Headphone Jack,1", JackName(name: "Headphone Jack", index: 1)),
    ("HDMI/DP,pcm=3 Jack", JackName(name: "HDMI/DP,pcm=3 Jack")), ("", nil), (",1", nil),
    ("Jack,256", nil), (String(repeating: "J", count: 44), nil),
  ])
  func aJackHasANameAndPerhapsAnIndex(text: String, jack: JackName?) {
    #expect(JackName(text) == jack)
    if let jack { #expect(jack.description == text) }
  }
}
