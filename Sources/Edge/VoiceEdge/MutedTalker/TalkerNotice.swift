internal import AudioCore
internal import Foundation

/// Tells a person who talks while muted: the mute lamps blink, the desktop shows a notification, a
/// command runs, and the loudspeaker plays a chime, each by configuration.
struct TalkerNotice: Sendable {
  /// The time for which a blinking lamp is lit, and the time for which it is dark.
  private static let blink = Duration.milliseconds(250)
  /// The least time between two notices other than the lamps.
  var pause = Duration.seconds(5)
  private let settings: EdgeConfiguration.Mute.TalkerNotice
  private let lamps: Lamps?
  private let desktop: DesktopNotification?
  private let loudspeaker: LoudspeakerControls

  init(
    _ configuration: EdgeConfiguration, lamps: Lamps, _ loudspeaker: LoudspeakerControls,
    log: @escaping @Sendable (String) -> Void
  ) {
    settings = configuration.mute.notice
    self.loudspeaker = loudspeaker
    self.lamps = settings.blinks && !configuration.mute.lamps.isEmpty ? lamps : nil
    desktop =
      settings.notification.isOn(configuration)
      ? DesktopNotification(
        configuration.programs.sessionBusAddress, title: "You are muted",
        text: "Nobody hears you. Unmute the microphone to talk.",
        icon: "microphone-sensitivity-muted", log: log) : nil
  }

  /// Tells the person, until the task is cancelled.
  func run(_ board: StatusBoard) async {
    await withDiscardingTaskGroup { group in
      if let lamps {
        group.addTask { await blink(lamps, board) }
      }
      group.addTask { await tell(board) }
    }
  }

  private func tell(_ board: StatusBoard) async {
    var isTold = false
    var lastNotice: ContinuousClock.Instant?
    for await status in board.watch() {
      if !isTold, status.isMutedTalking, let lastNotice {
        // A person who talks on with short pauses was told.
        do { try await Task.sleep(until: lastNotice + pause) } catch { break }
      }
      let isTalking = board.status.isMutedTalking
      guard isTalking != isTold else { continue }
      if isTalking {
        lastNotice = .now
        if settings.chimes { loudspeaker.startChime() }
        await desktop?.show()
      } else {
        await desktop?.close()
      }
      isTold = isTalking
      if let command = settings.command {
        _ = await ShellCommand.run(command, ["ANECHOIC_TALKING": isTalking ? "true" : "false"])
      }
    }
    await desktop?.close()
  }

  private func blink(_ lamps: Lamps, _ board: StatusBoard) async {
    var blinking: Task<Void, Never>?
    for await status in board.watch() {
      let isTalking = status.isMutedTalking
      if isTalking, blinking == nil {
        blinking = Task {
          var isLit = false
          while !Task.isCancelled {
            lamps.set(isLit)
            isLit.toggle()
            try? await Task.sleep(for: Self.blink)
          }
        }
      } else if !isTalking, let task = blinking {
        task.cancel()
        await task.value
        blinking = nil
        lamps.set(board.status.mute.isMuted)
      }
    }
    blinking?.cancel()
    await blinking?.value
  }

  /// The chime: two falling tones of 120 ms at -26 dBFS.
  static func chime(_ rate: SampleRate) -> [Float] {
    let (duration, amplitude) = (0.12, pow(10, -26.0 / 20))
    let count = Int(duration * Double(rate.hertz))
    return [784.0, 587.0].flatMap { frequency in
      (0..<count).map { index in
        let time = Double(index) / Double(rate.hertz)
        let edge = min(1, min(time, duration - time) / 0.015)
        return Float(amplitude * edge * sin(2 * .pi * frequency * time))
      }
    }
  }
}
