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
  // How often the log contains a text.
  size_t count(const std::string& text) const;

  // The server's program. Set before the first server.
  static std::string path;

 private:
  void startOn(const std::string& address);

  const std::vector<std::string> more_;
  std::string folder_;
  pid_t child_ = 0;
  int port_ = 0;
};
