internal import AcousticSimulator
internal import Alignment
internal import AudioCore
internal import Foundation
internal import WebRTCEngine

/// The cases, each a table.
struct Tables {
  let rate: SampleRate
  let voices: Voices
  /// Of the canceller behind the aligner; without the aligner it is the standard one.
  var search = WebRTCEchoSearch()
  var leads = ReferenceAligner.Leads()

  static let lags = [0, 20, 60, 120, 160, 250, 400, 600, 1000]

  func lags() throws {
    print("### Lag of the echo, far end only, 12 s\n")
    print(
      "Echo reduction in dB from the 4th second on, in all and in the worst second; frames from")
    print("the 3rd second on with voice, in percent; without the aligner / with it.\n")
    print("| lag ms | room | reduction | worst second | false voice | moved at s | lead ms |")
    print("|---|---|---|---|---|---|---|")
    for room in rate == .hz16000 ? Room.allCases : [.office] {
      for lag in Self.lags { try lagRow(lag, room, heldBack: 0) }
      try lagRow(0, room, heldBack: rate.hertz / 50)
    }
    print("")
  }

  private func lagRow(_ lag: Int, _ room: Room, heldBack: Int) throws {
    var scene = self.scene
    scene.room = room
    scene.lag = Double(lag) / 1000
    let recording = scene.record(farEnd: far(seconds: 12))
    let plain = try Trial(recording, rate, isAligned: false, heldBack: heldBack)
    let aligned = try Trial(
      recording, rate, isAligned: true, heldBack: heldBack, search: search, leads: leads)
    let name = heldBack > 0 ? "\(lag), microphone 20 ms later" : "\(lag)"
    row([
      name, room.name,
      pair(plain.reduction(3..<12), aligned.reduction(3..<12)),
      pair(plain.leastReduction(3..<12), aligned.leastReduction(3..<12)),
      pair(plain.voiceShare(2..<12), aligned.voiceShare(2..<12)),
      moves(aligned), milliseconds(aligned.status.lead),
    ])
  }

  func drifts() throws {
    print("### Drift, lag 300 ms at first, 60 s\n")
    print("| drift ppm | reduction from the 6th second | worst second | found ppm | moved at s |")
    print("|---|---|---|---|---|")
    for drift in [0.0, 50, -50, 200, -200, 500, -500] {
      var scene = self.scene
      scene.lag = 0.3
      scene.driftPPM = drift
      let recording = scene.record(farEnd: far(seconds: 60))
      let plain = try Trial(recording, rate, isAligned: false)
      let aligned = try Trial(recording, rate, isAligned: true, search: search, leads: leads)
      row([
        "\(Int(drift))", pair(plain.reduction(5..<60), aligned.reduction(5..<60)),
        pair(plain.leastReduction(5..<60), aligned.leastReduction(5..<60)),
        text(aligned.status.drift), moves(aligned),
      ])
    }
    print("")
  }

  func jumps() throws {
    print("### Jumps of the lag, 200 ms at first, at the 10th second\n")
    print("| jump ms | back at 25 dB after s | moved after s | worst second from 2 s after it |")
    print("|---|---|---|---|")
    for jump in [40, 100, -100, 300] {
      var scene = self.scene
      scene.lag = 0.2
      scene.jumps = [(10, Double(jump) / 1000)]
      let recording = scene.record(farEnd: far(seconds: 18))
      let plain = try Trial(recording, rate, isAligned: false)
      let aligned = try Trial(recording, rate, isAligned: true, search: search, leads: leads)
      row([
        "\(jump)",
        pair(plain.recovery(after: 10, until: 17), aligned.recovery(after: 10, until: 17)),
        moves(aligned, since: 10),
        pair(plain.leastReduction(12..<18), aligned.leastReduction(12..<18)),
      ])
    }
    print("")
  }

  func gap() throws {
    print("### Reference missing for 500 ms at the 10th second\n")
    print("| lag ms | back at 25 dB after s | loudest output over the microphone, dB |")
    print("|---|---|---|")
    for lag in [40, 200, 600] {
      var scene = self.scene
      scene.lag = Double(lag) / 1000
      scene.referenceGaps = [10..<10.5]
      let recording = scene.record(farEnd: far(seconds: 18))
      let plain = try Trial(recording, rate, isAligned: false)
      let aligned = try Trial(recording, rate, isAligned: true, search: search, leads: leads)
      let end = 10.5 + Double(lag) / 1000
      row([
        "\(lag)",
        pair(plain.recovery(after: end, until: 17), aligned.recovery(after: end, until: 17)),
        pair(plain.excess(9.5..<13), aligned.excess(9.5..<13)),
      ])
    }
    print("")
  }

  /// A room with little noise, which would hide what is left of the echo.
  var scene: EchoScene {
    var scene = EchoScene(rate: rate.hertz)
    scene.noiseLevel = -75
    return scene
  }

  func far(seconds: Int) -> [Float] { Array(voices.far.prefix(seconds * rate.hertz)) }
}
