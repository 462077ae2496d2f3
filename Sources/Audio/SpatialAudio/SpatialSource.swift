internal import AudioCore

/// One source with its paths to both ears.
final class SpatialSource {
  /// The delay of every path in samples: interpolation needs some later samples.
  static let leastDelay = 17

  private let set: HeadRelatedSet
  private let layout: Convolution
  private let frame: Int
  private let absorption: Float
  private var aim: Aim?
  private var direct: SampleHistory
  private var reflected: SampleHistory
  private var airState: Float = 0
  private var wallState: Float = 0
  var left: EarPath
  var right: EarPath
  /// Whether the filters change in this frame.
  private(set) var isTurning = false

  init(_ set: HeadRelatedSet, _ layout: Convolution) {
    self.set = set
    self.layout = layout
    frame = layout.frame
    let reach = Self.leastDelay * 2 + Int(set.longestOnset) + 2
    let detour = Room.longestDetour / Room.metresPerSecond * Float(set.rate.hertz)
    absorption = Aim.openness(Room.cutoff, Float(set.rate.hertz))
    direct = SampleHistory(length: reach, frame: frame)
    reflected = SampleHistory(length: reach + Int(detour), frame: frame)
    left = EarPath(ear: 0, layout)
    right = EarPath(ear: 1, layout)
  }

  /// Takes a frame of the source, mixes its channels to their mean, and adds its reflections to
  /// `output`. Runs per frame: no allocation, lock, log or await.
  func accept(
    _ input: borrowing Frame, _ setting: SourceSetting, head: HeadPose,
    reflections output: (left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>)
  ) {
    let next = Aim(setting, head: head, set)
    let former = aim ?? next
    if aim == nil {
      left.start(next.place, delay: next.delays.left, set)
      right.start(next.place, delay: next.delays.right, set)
    }
    write(input, from: former, to: next)
    left.accept(direct, delay: next.delays.left)
    right.accept(direct, delay: next.delays.right)
    isTurning = former.place != next.place
    if isTurning {
      left.turn(to: next.place, set)
      right.turn(to: next.place, set)
    }
    for surface in 0..<Room.reflectionCount {
      reflect(former.left[surface], next.left[surface], into: output.left)
      reflect(former.right[surface], next.right[surface], into: output.right)
    }
    aim = next
  }

  /// Forgets all sound. Does not allocate.
  func reset() {
    aim = nil
    direct.clear()
    reflected.clear()
    (airState, wallState) = (0, 0)
    left.clear()
    right.clear()
  }

  /// Ends the frame. Runs per frame: no allocation, lock, log or await.
  func endFrame() {
    guard isTurning else { return }
    left.endTurn()
    right.endTurn()
    isTurning = false
  }

  /// Writes the frame, with the gain and the low-pass filters of the air and of the walls.
  private func write(_ input: borrowing Frame, from former: Aim, to next: Aim) {
    let (fresh, walls) = (direct.nextFrame(), reflected.nextFrame())
    let channels = input.planePointers
    let last = input.channelCount - 1
    let gainChange = next.gain - former.gain
    let opennessChange = next.openness - former.openness
    let fadeIn = layout.fadeIn.start
    var (air, wall) = (airState, wallState)
    for index in 0..<frame {
      let mean = (channels[0][index] + channels[last][index]) / 2
      let sample = mean * (former.gain + gainChange * fadeIn[index])
      air += (former.openness + opennessChange * fadeIn[index]) * (sample - air)
      wall += absorption * (air - wall)
      fresh[index] = air
      walls[index] = wall
    }
    // A sound that fades away would end in denormal numbers, which are slow.
    airState = abs(air) < 1e-20 ? 0 : air
    wallState = abs(wall) < 1e-20 ? 0 : wall
  }

  /// Adds a reflection, cross-faded from one path to the next, interpolated linearly.
  private func reflect(
    _ former: Aim.Path, _ next: Aim.Path, into output: UnsafeMutablePointer<Float>
  ) {
    guard former.gain != 0 || next.gain != 0 else { return }
    if former == next {
      add(next, from: next.gain, to: next.gain, into: output)
    } else {
      add(former, from: former.gain, to: 0, into: output)
      add(next, from: 0, to: next.gain, into: output)
    }
  }

  private func add(
    _ path: Aim.Path, from first: Float, to last: Float, into output: UnsafeMutablePointer<Float>
  ) {
    let delay = min(path.delay, Float(reflected.length - 1))
    let whole = Int(delay)
    let part = delay - Float(whole)
    let near = reflected.last - whole
    let far = near - 1
    let change = last - first
    let fadeIn = layout.fadeIn.start
    for index in 0..<frame {
      let sample = near[index] + part * (far[index] - near[index])
      output[index] += sample * (first + change * fadeIn[index])
    }
  }
}
