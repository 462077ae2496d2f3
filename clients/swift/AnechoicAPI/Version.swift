/// The version of the server and its tools.
public let anechoicVersion = "0.1.0"
