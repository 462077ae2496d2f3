internal import AcousticSimulator
internal import AudioCore
internal import VoiceEngines
internal import WebRTCEngine

extension Tables {
  /// How far the reference may lead, without the aligner.
  func leadTable() throws {
    print("### Lead of the reference for settings of the canceller, no aligner\n")
    print(
      "Reduction from the 4th second on / in the worst second, false voice in percent; in double")
    print("talk the change of the near end where it is louder / in all, in dB.\n")
    print(
      "| extended | agnostic | hint ms | suppression | lead ms | close | office | hall | double talk |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    let searches = [
      WebRTCEchoSearch(),
      WebRTCEchoSearch(isDelayAgnostic: false),
      WebRTCEchoSearch(hasExtendedFilter: false),
      WebRTCEchoSearch(hasExtendedFilter: false, isDelayAgnostic: false),
      WebRTCEchoSearch(
        hasExtendedFilter: false, isDelayAgnostic: false, delay: .milliseconds(20)),
    ]
    for search in searches {
      for lead in [10, 20, 30, 40, 50, 60] { try leadRow(search, lead, .moderate) }
    }
    for suppression in EngineSettings.EchoSuppression.allCases {
      try leadRow(searches[0], 40, suppression)
      try leadRow(searches[3], 40, suppression)
    }
    print("")
  }

  private func leadRow(
    _ search: WebRTCEchoSearch, _ lead: Int, _ suppression: EngineSettings.EchoSuppression
  ) throws {
    var scene = self.scene
    scene.lag = Double(lead) / 1000
    var cells: [String] = []
    for room in Room.allCases {
      scene.room = room
      let trial = try Trial(
        scene.record(farEnd: far(seconds: 12)), rate, isAligned: false, search: search,
        suppression: suppression)
      cells.append(
        pair(trial.reduction(3..<12), trial.leastReduction(3..<12)) + ", "
          + text(trial.voiceShare(2..<12)) + " %")
    }
    scene.room = .office
    let near = [Float](repeating: 0, count: 8 * rate.hertz) + voices.near
    let both = try Trial(
      scene.record(farEnd: far(seconds: 16), near: near), rate, isAligned: false, search: search,
      suppression: suppression)
    row(
      [
        search.hasExtendedFilter ? "on" : "off", search.isDelayAgnostic ? "on" : "off",
        milliseconds(search.delay), "\(suppression)", "\(lead)",
      ] + cells + [pair(both.nearChange(8..<16, over: 10), both.nearChange(8..<16, over: -99))])
  }
}
