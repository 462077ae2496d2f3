import AnechoicAPI
import EdgeRig
import Foundation
import SoundRig
import TestAudio
import Testing

/// Three machines of one person in three networks, with one headset that each of them can use.
@Suite(
  .serialized, .timeLimit(.minutes(5)),
  .enabled(if: SoundRig.missingTools.isEmpty, "the rig's programs are not installed"),
  .enabled(if: NetworkNamespaces.canBeMade, "network namespaces cannot be made; run as root"))
struct SwitchingRigTests {
  private static let music = Signals.noise(48000, amplitude: 0.1, seed: 5)

  @Test func activityMovesTheHeadset() async throws {
    let rig = try SoundRig()
    defer { rig.stop() }
    let group = try SwitchingMachines(rig, products: products, names: ["desk", "laptop", "phone"])
    defer { group.stop() }
    let (desk, laptop, phone) = (group.machines[0], group.machines[1], group.machines[2])
    for machine in group.machines {
      #expect(
        await machine.wait { $0.switching.connected && !$0.switching.decisions.isEmpty },
        "\(machine.agentLog)")
    }

    // Media takes the headset.
    desk.music.play(Self.music, isRepeated: true)
    try await expect(desk, holdsTheHeadsetOf: group)

    // A notification does not.
    let generation = try await desk.status().switching.decisions.first?.generation
    var wasHeard = false
    for _ in 0..<10 where !wasHeard {
      phone.music.play(Array(Self.music.prefix(9600)))
      for _ in 0..<100 where !wasHeard {
        wasHeard = try await phone.status().switching.activity.notificationPlaying
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    #expect(wasHeard)
    #expect(await phone.wait { !$0.switching.activity.notificationPlaying })
    #expect(try await desk.status().switching.decisions.first?.generation == generation)

    // A call takes it, and pauses the media of the other machine.
    laptop.beginCall()
    try await expect(laptop, holdsTheHeadsetOf: group)
    #expect(await desk.wait { $0.switching.mediaPaused && !$0.switching.activity.mediaPlaying })
    #expect(try await !phone.status().switching.mediaPaused)

    // The end of the call gives both back.
    laptop.endCall()
    try await expect(desk, holdsTheHeadsetOf: group)
    #expect(await desk.wait { !$0.switching.mediaPaused && $0.switching.activity.mediaPlaying })

    // Without the arbiter the last decision counts for a while, and then each machine decides alone.
    group.killServer()
    #expect(await laptop.wait { !$0.switching.connected })
    var last = try await laptop.status()
    while !last.switching.localPolicy {
      #expect(last.route == "desk")
      last = try await laptop.status()
    }
    #expect(await laptop.wait { $0.route == "headset" })
    #expect(try await desk.status().route == "headset")

    // The arbiter returns, and the machine that plays keeps the headset.
    group.startServer()
    try await expect(desk, holdsTheHeadsetOf: group)
  }

  /// Waits until the machine uses the headset, and no other does.
  private func expect(
    _ holder: SwitchingMachine, holdsTheHeadsetOf group: SwitchingMachines,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    for machine in group.machines {
      let route = machine === holder ? "headset" : "desk"
      let isThere = await machine.wait {
        $0.route == route && $0.switching.connected
          && $0.switching.decisions.map(\.holder) == [holder.name]
      }
      #expect(isThere, "\(machine.name): \(machine.agentLog)", sourceLocation: sourceLocation)
    }
  }
}
