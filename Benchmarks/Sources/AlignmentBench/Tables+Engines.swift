internal import AcousticSimulator
internal import AudioCore
internal import WebRTCEngine

extension Tables {
  /// What the canceller can be set to, each with the aligner before it.
  func engines() throws {
    print("### Settings of the canceller behind the aligner\n")
    print(
      "Reduction from the 4th second on / in the worst second; false voice in percent; for a jump")
    print(
      "of +100 ms the seconds until it is back at 25 dB; for double talk the change of the near")
    print("end where it is louder / in all / voice found.\n")
    print(
      "| extended | agnostic | hint ms | lag 20 | lag 250 | false voice | drift -200 | drift 500"
        + " | jump | double talk at 250 |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for isExtended in [true, false] {
      for isAgnostic in [true, false] {
        for hint in [0, 20, 40, 60] {
          try engineRow(
            WebRTCEchoSearch(
              hasExtendedFilter: isExtended, isDelayAgnostic: isAgnostic,
              delay: .milliseconds(hint)))
        }
      }
    }
    print("")
  }

  private func engineRow(_ search: WebRTCEchoSearch) throws {
    let near = [Float](repeating: 0, count: 8 * rate.hertz) + voices.near
    let first = try trial(search, lag: 0.02, seconds: 12)
    let second = try trial(search, lag: 0.25, seconds: 12)
    let slow = try trial(search, lag: 0.3, drift: -200, seconds: 30)
    let fast = try trial(search, lag: 0.3, drift: 500, seconds: 30)
    let jump = try trial(search, lag: 0.2, jump: 0.1, seconds: 18)
    let both = try trial(search, lag: 0.25, near: near, seconds: 16)
    row([
      search.hasExtendedFilter ? "on" : "off", search.isDelayAgnostic ? "on" : "off",
      milliseconds(search.delay), pair(first.reduction(3..<12), first.leastReduction(3..<12)),
      pair(second.reduction(3..<12), second.leastReduction(3..<12)),
      pair(first.voiceShare(2..<12), second.voiceShare(2..<12)),
      pair(slow.reduction(5..<30), slow.leastReduction(5..<30)),
      pair(fast.reduction(5..<30), fast.leastReduction(5..<30)),
      text(jump.recovery(after: 10, until: 17)),
      pair(both.nearChange(8..<16, over: 10), both.nearChange(8..<16, over: -99)) + " / "
        + text(both.voiceFound(8..<16)),
    ])
  }

  private func trial(
    _ search: WebRTCEchoSearch, lag: Double, drift: Double = 0, jump: Double = 0,
    near: [Float] = [], seconds: Int
  ) throws -> Trial {
    var scene = self.scene
    scene.lag = lag
    scene.driftPPM = drift
    if jump != 0 { scene.jumps = [(10, jump)] }
    let recording = scene.record(farEnd: far(seconds: seconds), near: near)
    return try Trial(recording, rate, isAligned: true, search: search)
  }
}
