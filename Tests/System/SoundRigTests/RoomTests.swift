import AcousticSimulator
import SoundRig
import Testing

/// The loudspeaker and people, as the microphone hears them.
@Suite(
  .serialized, .timeLimit(.minutes(2)),
  .enabled(if: SoundRig.missingTools.isEmpty, "the rig's programs are not installed"))
struct RoomTests {
  @Test func clicksTakeTheTimeThatTheRoomNames() throws {
    let rig = try SoundRig()
    let room = try RoomSimulator(rig, room: nil, echoReturnLoss: 0)
    let loudspeaker = try rig.record(from: "spk.monitor")
    let microphone = try rig.record(from: "micbus.monitor")
    #expect(loudspeaker.wait(forSamples: 9600) && microphone.wait(forSamples: 9600))
    // Compares the samples of both recordings up to the same moment.
    let offset = microphone.samples.count - loudspeaker.samples.count
    var clicks = [Float](repeating: 0, count: 48000)
    for index in 1...4 { clicks[index * 9600] = 0.5 }
    try #expect(rig.play(clicks, into: "spk").wait())
    let played = positions(loudspeaker.stop())
    let heard = positions(microphone.stop())
    // On a machine that stood still, the result shows nothing about the path.
    guard room.jumps.isEmpty else { return }
    #expect(played.count == 4 && heard.count == 4)
    for (played, heard) in zip(played, heard) {
      let delay = Duration.seconds(Double(heard - offset - played) / 48000)
      // The blocks of 10 ms of the two recordings arrive at different times.
      #expect(delay > RoomSimulator.delay.lowerBound - .milliseconds(20))
      #expect(delay < RoomSimulator.delay.upperBound + .milliseconds(30))
    }
  }

  @Test func aPersonIsHeardInASilentRoom() throws {
    let rig = try SoundRig()
    let room = try RoomSimulator(rig, room: .office)
    let microphone = try rig.record(from: "micbus.monitor")
    room.say(tone(seconds: 0.5), after: .milliseconds(200))
    #expect(microphone.wait(forSamples: 48000))
    let samples = microphone.stop()
    #expect(power(of: samples, at: 1000) > 0.4 * 24000)
    #expect(samples.prefix(4800).allSatisfy { $0 == 0 })
  }

  private func positions(_ samples: [Float]) -> [Int] {
    samples.indices.filter { samples[$0] > 0.25 }
  }
}
