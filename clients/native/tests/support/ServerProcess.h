#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

// anechoic-server on a unix socket in a folder of its own.
class ServerProcess {
 public:
  // `more` are further options.
  explicit ServerProcess(const std::vector<std::string>& more = {});
  // Kills the server.
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // Starts the server in its folder, on a unix socket, or on a free port of 127.0.0.1.
  void start();
  void startOnAPort();
  void kill();
  void send(int signal) const;

  const std::string& folder() const { return folder_; }
  std::string address() const { return "unix:" + folder_ + "/server.sock"; }
  std::string tcpAddress() const { return "127.0.0.1:" + std::to_string(port_); }
  // Calls a method for each session of a server with a page. Returns the answers.
  std::string steer(const std::string& method, const std::string& json) const;
  // Makes the keys of a server with tokens. Returns the path of a file with a token that this server
  // accepts.
  std::string makeToken() const;
  // How often the log contains a text.
  size_t count(const std::string& text) const;

  // Options for a server that can be steered, and for one that asks for tokens.
  static const std::vector<std::string> withAPage, withTokens;
  // The server's program, and the folder of the sample. Set before the first server.
  static std::string path, sample;

 private:
  void startOn(const std::string& address);
  void runScript(const std::string& name, const std::string& arguments) const;

  const std::vector<std::string> more_;
  std::string folder_;
  pid_t child_ = 0;
  int port_ = 0;
};
