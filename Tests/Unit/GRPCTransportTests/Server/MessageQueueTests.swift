import TestAudio
import Testing

@testable import GRPCTransport

struct MessageQueueTests {
  private static let limit = OutgoingMessages.Limit(messages: 100, bytes: 10_000)

  @Test func asManyMessagesAsTheLimitAreTakenAndNotOneMore() {
    let queue = MessageQueue(limit: Self.limit)
    for number in 0..<100 { #expect(queue.push(number, size: 10)) }
    #expect(!queue.push(100, size: 10))
    #expect(queue.count == 100 && queue.byteCount == 1000)
    #expect(queue.pop() == 0)
    #expect(queue.push(100, size: 10))
    #expect(queue.all() == Array(1...100))
  }

  @Test func asManyBytesAsTheLimitAreTakenAndNotOneMore() {
    let queue = MessageQueue(limit: Self.limit)
    #expect(queue.push(1, size: 9999))
    #expect(!queue.push(2, size: 2))
    #expect(queue.push(3, size: 1))
    #expect(!queue.push(4, size: 1))
    #expect(queue.all() == [1, 3])
    #expect(queue.byteCount == 0)
  }

  @Test func halfOfEitherLimitIsHalfFull() {
    let queue = MessageQueue(limit: Self.limit)
    for number in 0..<49 { #expect(queue.push(number, size: 10)) }
    #expect(!queue.isHalfFull)
    #expect(queue.push(49, size: 10))
    #expect(queue.isHalfFull)
    _ = queue.all()
    #expect(queue.push(0, size: 5000))
    #expect(queue.isHalfFull)
  }

  @Test func aMessageThatIsDroppedMakesRoomForAnother() {
    let queue = MessageQueue(limit: Self.limit)
    for number in 0..<100 {
      #expect(queue.push(number, size: 10, isDroppable: number.isMultiple(of: 2)))
    }
    for _ in 0..<50 { queue.dropOldest() }
    #expect(queue.count == 50 && queue.droppableCount == 0 && queue.byteCount == 500)
    queue.dropOldest()
    #expect(queue.count == 50)
    for number in 100..<150 { #expect(queue.push(number, size: 10)) }
    #expect(!queue.push(150, size: 10))
    #expect(queue.all() == (0..<100).filter { !$0.isMultiple(of: 2) } + (100..<150))
  }

  @Test(arguments: 0..<10)
  func theQueueBehavesLikeAnArray(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let queue = MessageQueue(limit: Self.limit)
    var model: [(number: UInt8, size: Int, isDroppable: Bool)] = []
    for _ in 0..<5000 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5:
        let number = UInt8.random(in: 0...255, using: &random)
        // Some messages are larger than the buffers that the queue keeps.
        let size = Int.random(in: 1...(random.happens(onceIn: 20) ? 3000 : 200), using: &random)
        let isDroppable = Bool.random(using: &random)
        let fits =
          model.count < 100 && model.reduce(size) { $0 + $1.size } <= 10_000
        #expect(queue.push(Int(number), size: size, isDroppable: isDroppable) == fits)
        if fits { model.append((number, size, isDroppable)) }
      case 5, 6:
        queue.dropOldest()
        if let oldest = model.firstIndex(where: \.isDroppable) { model.remove(at: oldest) }
      default:
        #expect(queue.pop() == (model.isEmpty ? nil : Int(model.removeFirst().number)))
      }
      #expect(queue.count == model.count)
      #expect(queue.byteCount == model.reduce(0) { $0 + $1.size })
      #expect(queue.droppableCount == model.count(where: \.isDroppable))
    }
  }
}

extension MessageQueue {
  /// Appends a message whose bytes are all `number`.
  fileprivate func push(_ number: Int, size: Int, isDroppable: Bool = false) -> Bool {
    push(size: size, isDroppable: isDroppable) {
      $0.initializeMemory(as: UInt8.self, repeating: UInt8(number))
    }
  }

  /// Returns the number of the oldest message, or nil if none waits.
  fileprivate func pop() -> Int? {
    var number: Int?
    let isThere = pop { bytes in
      number = bytes.first.map { Int($0) }
      #expect(bytes.allSatisfy { $0 == bytes.first })
    }
    #expect(isThere == (number != nil))
    return number
  }

  fileprivate func all() -> [Int] {
    var numbers: [Int] = []
    while let number = pop() { numbers.append(number) }
    return numbers
  }
}
