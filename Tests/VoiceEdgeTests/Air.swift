import Foundation
import ScriptedDevices
import Synchronization

/// What lies between loudspeaker and microphone: 30 ms and a loss.
final class Air: Sendable {
  static let decibels: Float = 20 * log10f(0.35)

  let loudspeaker = Mutex<ScriptedDevice?>(nil)

  func microphone(at time: Double) -> Float {
    // Half a sample keeps the rounding from falling now on this sample and now on that.
    0.35 * (loudspeaker.withLock { $0 }?.sound(at: time - 0.03 - 0.5 / 16000) ?? 0)
  }
}
