internal import CommandLineSupport
internal import ProfileReader

@main
enum Main {
  static func main() async {
    ProfileReader.runIfAsked()
    await ServeCommand.runToExit()
  }
}
