internal import AcousticSimulator
internal import AudioCore
internal import VoiceEngines
internal import WebRTCEngine

extension Tables {
  /// Prints the effect of the canceller's settings, with an aligned reference.
  func engine() throws {
    title(
      "Settings of the canceller for a reference that leads by a known time",
      """
      The engine alone. Echo reduction in dB from the 4th second on / in the worst second, and frames
      with voice from the 3rd second on; in double talk the change of the near end's level where it is
      louder / in all, in dB.
      """,
      columns: [
        "filter", "agnostic", "hint ms", "suppression", "lead ms", "close", "office", "hall",
        "double talk",
      ])
    for search in [
      WebRTCEchoSearch(hasExtendedFilter: true, isDelayAgnostic: true),
      WebRTCEchoSearch(hasExtendedFilter: true),
      WebRTCEchoSearch(isDelayAgnostic: true),
      WebRTCEchoSearch(),
      WebRTCEchoSearch(delay: .milliseconds(20)),
    ] {
      for lead in [0, 5, 10, 20, 40, 60] { try engineRow(search, lead, .moderate) }
    }
    for suppression in EngineSettings.EchoSuppression.allCases {
      try engineRow(.unaided, 20, suppression)
      try engineRow(WebRTCEchoSearch(), 20, suppression)
    }
    print("")
  }

  private func engineRow(
    _ search: WebRTCEchoSearch, _ lead: Int, _ suppression: EngineSettings.EchoSuppression
  ) throws {
    var scene = self.scene
    scene.lag = Double(lead) / 1000
    var cells: [String] = []
    for room in Room.allCases {
      scene.room = room
      let score = try EngineTrial.run(
        scene.record(farEnd: far(seconds: 12)), rate, search, suppression: suppression)
      cells.append(
        pair(score.reduction(3..<12), score.leastReduction(3..<12)) + ", "
          + text(score.voiceShare(2..<12)) + " %")
    }
    scene.room = .office
    let near = [Float](repeating: 0, count: 8 * rate.hertz) + voices.near
    let both = try EngineTrial.run(
      scene.record(farEnd: far(seconds: 16), near: near), rate, search, suppression: suppression)
    row(
      [
        search.hasExtendedFilter ? "long" : "short", search.isDelayAgnostic ? "on" : "off",
        milliseconds(search.delay), "\(suppression)", "\(lead)",
      ] + cells + [
        decimal(both.nearChange(8..<16, over: 10)) + " / "
          + decimal(both.nearChange(8..<16, over: -99))
      ])
  }
}
