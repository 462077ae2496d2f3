public import AudioCore
public import EchoAlignment

extension ReferenceAligner {
  /// Appends 10 ms of both inputs, with the reference arriving together with the microphone, and
  /// provides the reference for the engine. Returns the change of the echo path.
  public mutating func process(
    microphone: borrowing Frame, reference: borrowing Frame, into output: borrowing Frame
  ) -> Change {
    let change = append(microphone: microphone)
    append(reference: reference)
    read(into: output)
    return change
  }
}
