public import AudioCore
internal import CKernels

/// Renders sources around a listener for headphones.
///
/// Each source goes through the filters of both ears, which are cross-faded over a frame when the source
/// or the head moves. The delays between the ears move evenly, so that a turning source has no steps.
/// The output depends on the inputs alone: the same calls give the same bits.
///
/// Each frame, call `accept` for the sources that are heard, always in the same order, and then `add`.
public final class BinauralRenderer {
  public static let largestSourceCount = 16

  /// The time from a source to the ear nearest to it, in samples.
  public static let delay = SpatialSource.leastDelay + AlignedResponses.lead

  private let responses: HeadRelatedSet
  private let layout: Convolution
  private let sources: [SpatialSource]
  private let reflections: FloatBuffer
  private let inputs: UnsafeMutablePointer<ck_complex>
  private let filters: UnsafeMutablePointer<ck_complex>
  /// The pose that the last source was rendered for.
  public private(set) var lastHead = HeadPose.ahead

  /// Creates a renderer of `sourceCount` sources, 1 to `largestSourceCount`.
  public init(_ responses: HeadRelatedSet, sourceCount: Int) {
    precondition((1...Self.largestSourceCount).contains(sourceCount))
    self.responses = responses
    let layout = Convolution(frame: responses.rate.samplesPerFrame, taps: responses.taps)
    self.layout = layout
    sources = (0..<sourceCount).map { _ in SpatialSource(responses, layout) }
    reflections = FloatBuffer(2 * layout.frame)
    let empty = layout.spectrum(reflections.start).forC
    inputs = .allocate(capacity: sourceCount)
    inputs.initialize(repeating: empty, count: sourceCount)
    filters = .allocate(capacity: sourceCount)
    filters.initialize(repeating: empty, count: sourceCount)
  }

  deinit {
    inputs.deallocate()
    filters.deallocate()
  }

  public var sourceCount: Int { sources.count }

  /// The sampling rate of all frames.
  public var rate: SampleRate { responses.rate }

  /// Forgets all sound, as if no source had been heard. Does not allocate.
  public func reset() {
    for source in sources { source.reset() }
  }

  /// Takes the next frame of a source. Settings and the head's pose are reached at the end of the
  /// frame. Runs per frame: no allocation, lock, log or await.
  public func accept(
    _ input: borrowing Frame, of source: Int, _ setting: SourceSetting, head: HeadPose
  ) {
    precondition(input.rate == rate)
    lastHead = head
    sources[source].accept(
      input, setting, head: head,
      reflections: (reflections.start, reflections.start + layout.frame))
  }

  /// Adds the frame of all sources to a frame of two channels. Runs per frame: no allocation, lock, log
  /// or await.
  public func add(to output: borrowing Frame) {
    precondition(output.rate == rate && output.channelCount == 2)
    add(0, to: output.planePointers[0])
    add(1, to: output.planePointers[1])
    for source in sources { source.endFrame() }
    reflections.clear()
  }

  private func add(_ ear: Int, to output: UnsafeMutablePointer<Float>) {
    for index in 0..<sources.count {
      inputs[index] = ear == 0 ? sources[index].left.input.forC : sources[index].right.input.forC
      filters[index] =
        ear == 0 ? sources[index].left.formerFilter.forC : sources[index].right.formerFilter.forC
    }
    let steady = layout.frame(inputs, filters, count: sources.count)
    let reflected = reflections.start + ear * layout.frame
    for index in 0..<layout.frame { output[index] += steady[index] + reflected[index] }
    var turning = 0
    for source in sources where source.isTurning {
      inputs[turning] = ear == 0 ? source.left.input.forC : source.right.input.forC
      filters[turning] = ear == 0 ? source.left.change.forC : source.right.change.forC
      turning += 1
    }
    guard turning > 0 else { return }
    let change = layout.frame(inputs, filters, count: turning)
    for index in 0..<layout.frame { output[index] += change[index] * layout.fadeIn.start[index] }
  }
}
