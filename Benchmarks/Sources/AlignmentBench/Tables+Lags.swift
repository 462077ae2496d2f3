internal import AcousticSimulator
internal import AudioCore
internal import VoiceEngines
internal import VoiceSessions

extension Tables {
  func lags() throws {
    title(
      "Lag of the echo, far end only, 12 s, no times, no hint",
      """
      Echo reduction in dB from the 4th second on, in all and in the worst second; frames with voice
      before and after the 3rd second, in percent; alone / in a session. When the session said where
      the echo is, and where.
      """,
      columns: [
        "lag ms", "room", "reduction", "worst second", "voice before 3 s", "voice after",
        "said at s",
        "said ms",
      ])
    for room in rate == .hz16000 ? Room.allCases : [.office] {
      for lag in Self.lags { try lagRow(lag, room) }
    }
    print("")
  }

  private func lagRow(_ lag: Int, _ room: Room) throws {
    var scene = self.scene
    scene.room = room
    scene.lag = Double(lag) / 1000
    let recording = scene.record(farEnd: far(seconds: 12))
    let alone = try EngineTrial.run(recording, rate, .unaided)
    let trial = try SessionTrial(scene, recording, rate)
    let aligned = trial.score
    row([
      "\(lag)", room.name, pair(alone.reduction(3..<12), aligned.reduction(3..<12)),
      pair(alone.leastReduction(3..<12), aligned.leastReduction(3..<12)),
      decimals(alone.voiceShare(0..<3), aligned.voiceShare(0..<3)),
      decimals(alone.voiceShare(2..<12), aligned.voiceShare(2..<12)),
      text(trial.found.first?.at), milliseconds(trial.statistics.echoDelay),
    ])
  }

  func times() throws {
    title(
      "The same in an office, with device times and with playback reports",
      """
      The times tremble by 1 ms and know nothing of 3 ms through the air. Echo reduction in dB in the
      2nd second, and from the 3rd on in all and in the worst second; frames with voice before the
      3rd second, in percent. Device times of a reference that is sent / reports of a playback that the
      session mixed.
      """,
      columns: ["lag ms", "2nd second", "after", "worst second", "voice before 3 s"])
    for lag in Self.lags {
      var scene = self.scene
      scene.lag = Double(lag) / 1000
      let recording = scene.record(farEnd: far(seconds: 12))
      let sent = try SessionTrial(scene, recording, rate, reference: .sentWithTimes).score
      let own = try SessionTrial(scene, recording, rate, reference: .ownPlaybackWithReports).score
      row([
        "\(lag)", pair(sent.reduction(1..<2), own.reduction(1..<2)),
        pair(sent.reduction(2..<12), own.reduction(2..<12)),
        pair(sent.leastReduction(2..<12), own.leastReduction(2..<12)),
        decimals(sent.voiceShare(0..<3), own.voiceShare(0..<3)),
      ])
    }
    print("")
  }

  func doubleTalk() throws {
    title(
      "Double talk from the 8th second on, 16 s",
      """
      The change of the near end's level in frames where it stands 10 dB above the echo, and over all
      its frames, in dB; its frames in which voice was found, in percent. Alone / in a session / in a
      session with low echo suppression, as in wide spectrum.
      """,
      columns: ["lag ms", "change where louder", "change in all", "voice found"])
    for lag in Self.lags {
      var scene = self.scene
      scene.lag = Double(lag) / 1000
      let near = [Float](repeating: 0, count: 8 * rate.hertz) + voices.near
      let recording = scene.record(farEnd: far(seconds: 16), near: near)
      let scores = [
        try EngineTrial.run(recording, rate, .unaided),
        try SessionTrial(scene, recording, rate).score,
        try SessionTrial(scene, recording, rate, suppression: .low).score,
      ]
      func cells(_ measure: (Score) -> Float) -> String {
        scores.map { decimal(measure($0)) }.joined(separator: " / ")
      }
      row([
        "\(lag)", cells { $0.nearChange(8..<16, over: 10) },
        cells { $0.nearChange(8..<16, over: -99) },
        cells { $0.voiceFound(8..<16) },
      ])
    }
    print("")
  }
}
