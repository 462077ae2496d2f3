import CAllocationCounter
import Foundation
import LiveVoice
import Testing

/// The allocations of the thread that exchanges sound with a live voice.
struct LiveVoiceAllocationTests {
  @Test func pushAndPullAllocateNothingWithoutAServer() throws {
    var options = LiveVoiceOptions(
      server: "127.0.0.1:1", microphone: .init(sampleRate: 16000, channels: 2),
      reference: .init(sampleRate: 16000))
    options.fallback = .microphone
    let voice = try LiveVoice(options)
    defer { voice.close() }
    let microphone = [Float](repeating: 0.25, count: 320)
    let reference = [Float](repeating: 0.5, count: 160)
    let codes = [Int16](repeating: 77, count: 320)
    var output = [Float](repeating: 0, count: 320)
    var outputCodes = [Int16](repeating: 0, count: 320)
    func exchange() -> Int {
      microphone.withUnsafeBufferPointer { microphone in
        reference.withUnsafeBufferPointer { voice.push(microphone: microphone, reference: $0) }
      }
      codes.withUnsafeBufferPointer { voice.push(microphone: $0) }
      let first = output.withUnsafeMutableBufferPointer { voice.pull(into: $0) }
      return first + outputCodes.withUnsafeMutableBufferPointer { voice.pull(into: $0) }
    }
    _ = exchange()
    allocation_counter_start()
    var count = 0
    for _ in 0..<300 { count += exchange() }
    let allocations = allocation_counter_stop()
    #expect(allocations == 0 && count == 300 * 320)
    #expect(output.allSatisfy { $0 == 0.25 } && outputCodes.allSatisfy { $0 == 77 })
  }
}
