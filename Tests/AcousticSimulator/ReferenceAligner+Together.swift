public import Alignment
public import AudioCore

extension ReferenceAligner {
  /// Takes in 10 ms of both, where the reference comes as soon as the microphone, and gives the
  /// reference for the engine. Returns what has become of the echo's path.
  public mutating func process(
    microphone: borrowing Frame, reference: borrowing Frame, into output: borrowing Frame
  ) -> Change {
    let change = append(microphone: microphone)
    append(reference: reference)
    read(into: output)
    return change
  }
}
