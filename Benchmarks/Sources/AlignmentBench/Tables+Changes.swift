internal import AcousticSimulator
internal import AudioCore
internal import VoiceSessions

/// The tables about changes during a call.
extension Tables {
  func drifts() throws {
    title(
      "Drift, lag 300 ms at first, 60 s",
      """
      Echo reduction in dB from the 6th second on, in all and in the worst second, and the drift that
      was found, in ppm: alone / in a session / with device times. The sign of the found drift is that
      of the reference's clock: an echo that comes later and later is of a slow one.
      """,
      columns: ["drift ppm", "reduction", "worst second", "found"])
    for drift in [0.0, 50, -50, 200, -200, 500, -500] {
      var scene = self.scene
      scene.lag = 0.3
      scene.driftPPM = drift
      let recording = scene.record(farEnd: far(seconds: 60))
      let alone = try EngineTrial.run(recording, rate, .unaided)
      let plain = try SessionTrial(scene, recording, rate)
      let timed = try SessionTrial(scene, recording, rate, reference: .sentWithTimes)
      let scores = [alone, plain.score, timed.score]
      func cells(_ measure: (Score) -> Float) -> String {
        scores.map { text(measure($0)) }.joined(separator: " / ")
      }
      row([
        "\(Int(drift))", cells { $0.reduction(5..<60) }, cells { $0.leastReduction(5..<60) },
        "– / " + pair(plain.statistics.driftPPM, timed.statistics.driftPPM),
      ])
    }
    print("")
  }

  func jumps() throws {
    title(
      "Jumps of the lag, 200 ms at first, at the 10th second",
      """
      Seconds until the reduction is back at 25 dB, and the reduction in the worst second from 2 s after
      it on: alone / in a session / with device times / with playback reports.
      """, columns: ["jump ms", "back after s", "worst second"])
    for jump in [3, 7, -12, 40, 100, -100, 300] {
      var scene = self.scene
      scene.lag = 0.2
      scene.jumps = [(10, Double(jump) / 1000)]
      let recording = scene.record(farEnd: far(seconds: 18))
      let scores = [
        try EngineTrial.run(recording, rate, .unaided),
        try SessionTrial(scene, recording, rate).score,
        try SessionTrial(scene, recording, rate, reference: .sentWithTimes).score,
        try SessionTrial(scene, recording, rate, reference: .ownPlaybackWithReports).score,
      ]
      row([
        "\(jump)",
        scores.map { text($0.recovery(after: 10, until: 17)) }.joined(separator: " / "),
        scores.map { text($0.leastReduction(12..<18)) }.joined(separator: " / "),
      ])
    }
    print("")
  }

  func rooms() throws {
    title(
      "The room changes at the 10th second, lag 200 ms",
      "Seconds until the reduction is back at 25 dB: alone / in a session.",
      columns: ["from", "to", "back after s"])
    for (from, to) in [(Room.close, Room.office), (.office, .hall), (.hall, .close)] {
      var scene = self.scene
      scene.lag = 0.2
      scene.room = from
      scene.roomChanges = [(10, to)]
      let recording = scene.record(farEnd: far(seconds: 18))
      let alone = try EngineTrial.run(recording, rate, .unaided)
      let aligned = try SessionTrial(scene, recording, rate).score
      row([
        from.name, to.name,
        pair(alone.recovery(after: 10, until: 17), aligned.recovery(after: 10, until: 17)),
      ])
    }
    print("")
  }

  func gap() throws {
    title(
      "Reference missing for 500 ms at the 10th second",
      """
      Seconds from its end until the reduction is back at 25 dB; by how much the output is louder than
      the microphone at most, in dB: alone / in a session.
      """, columns: ["lag ms", "back after s", "louder by dB"])
    for lag in [40, 200, 600] {
      var scene = self.scene
      scene.lag = Double(lag) / 1000
      scene.referenceGaps = [10..<10.5]
      let recording = scene.record(farEnd: far(seconds: 18))
      let alone = try EngineTrial.run(recording, rate, .unaided)
      let aligned = try SessionTrial(scene, recording, rate).score
      let end = 10.5 + Double(lag) / 1000
      row([
        "\(lag)",
        pair(alone.recovery(after: end, until: 17), aligned.recovery(after: end, until: 17)),
        pair(alone.excess(9.5..<13), aligned.excess(9.5..<13)),
      ])
    }
    print("")
  }

  func microphoneGap() throws {
    title(
      "Microphone missing from the 10th second on, lag 200 ms",
      """
      Seconds from its end until the reduction is back at 25 dB: alone / in a session / in one with device
      times.
      """, columns: ["missing ms", "back after s"])
    for missing in [20, 100, 500, 1000, 3000] {
      var scene = self.scene
      scene.lag = 0.2
      let end = 10 + Double(missing) / 1000
      scene.microphoneGaps = [10..<end]
      let recording = scene.record(farEnd: far(seconds: 20))
      let scores = [
        try EngineTrial.run(recording, rate, .unaided),
        try SessionTrial(scene, recording, rate).score,
        try SessionTrial(scene, recording, rate, reference: .sentWithTimes).score,
      ]
      row([
        "\(missing)",
        scores.map { text($0.recovery(after: end, until: 19)) }.joined(separator: " / "),
      ])
    }
    print("")
  }

  func network() throws {
    title(
      "Bursts and jitter, 12 s",
      """
      Echo reduction in dB from the 4th second on in a session: of a steady connection, one that comes in
      bursts, one where the reference alone does, and one where each frame of it is late by up to 100 ms.
      """,
      columns: [
        "lag ms", "steady", "bursts of 80 / 160 / 320 ms", "of the reference alone", "jitter",
      ])
    for lag in [120, 250, 400] {
      var scene = self.scene
      scene.lag = Double(lag) / 1000
      let recording = scene.record(farEnd: far(seconds: 12))
      func reduction(_ network: Network) throws -> String {
        text(try SessionTrial(scene, recording, rate, network: network).score.reduction(3..<12))
      }
      row([
        "\(lag)", try reduction(.steady),
        try [80, 160, 320].map { try reduction(.bursts($0)) }.joined(separator: " / "),
        try [80, 160, 320].map { try reduction(.referenceBursts($0)) }.joined(separator: " / "),
        try reduction(.referenceJitter(100)),
      ])
    }
    print("")
  }
}
