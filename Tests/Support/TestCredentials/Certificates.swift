public import Foundation

/// Certificates and keys for a test, in a temporary folder: NAME.pem and NAME.key. OpenSSL's
/// command creates them. A certificate is valid unless the list says otherwise.
///
/// - `ca`, `other-ca`: authorities.
/// - `server`: for 127.0.0.1 and localhost, signed by `ca`, as are all others except `stranger`.
/// - `named`: only for voice.example.
/// - `expired`: for 127.0.0.1, valid until yesterday.
/// - `chained`: for 127.0.0.1, signed by an intermediate authority of `ca`. chained.pem contains
///   both.
/// - `weak`: has a key that OpenSSL refuses to use.
/// - `client`: for a client.
/// - `spiffe`: for a client, with the URI spiffe://voice.example/edge/kitchen.
/// - `stranger`: for a client, signed by `other-ca`.
/// - client-encrypted.key: the client's key, with a password.
public final class Certificates: Sendable {
  public let folder: URL

  public init() async throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("anechoic-certificates-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try await ShellScript.run(Self.script, in: folder)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  public func path(_ file: String) -> String { folder.appendingPathComponent(file).path }

  public func bytes(_ file: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appendingPathComponent(file)))
  }

  private static let script = """
    set -e
    ec="-newkey ec -pkeyopt ec_paramgen_curve:P-256"
    authority() {
      openssl req -x509 $ec -nodes -keyout $1.key -out $1.pem -subj "/CN=$1" -days 2
    }
    # NAME AUTHORITY SUBJECT-ALTERNATIVE-NAME [DAYS [KEY [EXTENSION]]]
    leaf() {
      openssl req -new ${5:-$ec} -nodes -keyout $1.key -out $1.csr -subj "/CN=$1" \\
        -addext "${6:-subjectAltName=$3}"
      openssl x509 -req -in $1.csr -CA $2.pem -CAkey $2.key -CAcreateserial -out $1.pem \\
        -copy_extensions copy -days ${4:-2}
    }
    here="DNS:localhost,IP:127.0.0.1"
    authority ca
    authority other-ca
    leaf server ca "$here"
    leaf named ca DNS:voice.example
    leaf expired ca "$here" -1
    leaf between ca "" 2 "" basicConstraints=critical,CA:TRUE
    leaf chained between "$here"
    cat between.pem >> chained.pem
    leaf weak ca "$here" 2 "-newkey rsa:1024"
    leaf client ca DNS:client
    leaf spiffe ca URI:spiffe://voice.example/edge/kitchen,DNS:kitchen.example
    leaf stranger other-ca DNS:client
    openssl pkcs8 -topk8 -in client.key -out client-encrypted.key -passout pass:secret
    """
}
