import AnechoicAPI
import AudioCore
import ScriptedDevices
import Testing

@testable import VoiceEdge

/// The rings with what the loudspeaker plays, which belong to different device threads.
struct LoudspeakerReferenceTests {
  private func fill(_ ring: FrameRing<CaptureNote>, _ sample: Float) {
    let frame = Frame(rate: ring.rate, channelCount: ring.channelCount)
    for index in 0..<frame.sampleCount { frame.plane(0)[index] = sample }
    for _ in 0..<3 { _ = ring.write(frame, CaptureNote()) }
  }

  @Test func theRingOfThePortInUseIsReadAndTheOtherOneDropped() throws {
    let configuration = EdgeConfiguration()
    let devices = EdgeDevices(system: ScriptedMachine()) { _ in }
    let record = HealthRecord("device") { _ in }
    let rings = EdgeRings(configuration.audio, microphone: record, loudspeaker: record) { _ in
    } openLoudspeaker: { _ in
    }
    let slots = FarEndSlots(configuration)
    let parts = EdgeParts(
      rings: rings, programs: EdgePrograms(configuration, devices, slots, wake: {}), slots: slots,
      board: StatusBoard { _ in }, mailbox: Mailbox()
    ) { _ in
    }
    let edge = EdgeVoice(configuration, parts) { _ in }
    var (card, array) = (EdgeConfiguration.Port(id: "card"), EdgeConfiguration.Port(id: "array"))
    (card.input, card.output, card.loopback) = ("mic", "spk", "loop")
    (array.input, array.output, array.referenceChannels) = ("mic", "spk", ["3"])
    var headset = EdgeConfiguration.Port(id: "headset")
    (headset.input, headset.output) = ("mic", "spk")
    for (port, sample) in [(card, Float(0.25)), (array, 0.5), (card, 0.25), (headset, 0.25)] {
      fill(rings.loopback, 0.25)
      fill(rings.referenceChannels, 0.5)
      edge.routeChanged(RouteSelector.Change(reason: .override, previous: nil, current: port))
      var audio = Anechoic_V1_AudioInput()
      edge.readReference(into: &audio)
      let heard = edge.buffers.reference.plane(0)[0]
      #expect(heard == sample, "\(port.id)")
      #expect(rings.loopback.count == 0 && rings.referenceChannels.count == 0, "\(port.id)")
    }
  }
}
