internal import CommandLineSupport
internal import SpatialAudio

@main
enum Main {
  static func main() async {
    ProfileReader.runIfAsked()
    await ServeCommand.runToExit()
  }
}
