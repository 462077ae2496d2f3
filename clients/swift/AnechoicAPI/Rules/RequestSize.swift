/// The size of a request from a client.
public enum RequestSize {
  /// The maximum size in bytes of a request without audio. The largest useful request, a start or a
  /// change with all labels, has about 24 KiB. A request can contain a field in every two bytes,
  /// and each field costs microseconds.
  public static let largest = 32 << 10
}
