public import Alignment
public import AudioCore

extension ReferenceAligner {
  /// Takes in 10 ms of both, where the reference comes as soon as the microphone, and gives the
  /// reference for the engine. Returns whether the echo is elsewhere than before.
  public mutating func process(
    microphone: borrowing Frame, reference: borrowing Frame, into output: borrowing Frame
  ) -> Bool {
    let hasMoved = append(microphone: microphone)
    append(reference: reference)
    read(into: output)
    return hasMoved
  }
}
