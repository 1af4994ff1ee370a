#pragma once

#include <httplib.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>

/// HTTP over connections that are bounded: in number, in the bytes of a request, and in the time it may take to come.
/// httplib reads requests and writes answers; who may connect, and for how long, is said here.
namespace tailbound::serve {

class Connection;

class Connections : public httplib::Server {
 public:
  struct Bounds {
    std::size_t connections = 64;                    ///< beyond it those that say nothing are let go
    std::size_t head_bytes = std::size_t{64} << 10;  ///< of a request; a body is admitted by its handler
    std::chrono::milliseconds for_request{10'000};   ///< from its first byte to its last
    std::chrono::milliseconds between_requests{30'000};
    std::chrono::milliseconds for_answer{30'000};  ///< to be taken by who asked
  };
  explicit Connections(const Bounds& bounds) : bounds_(bounds) {}
  ~Connections() override;

  /// Listens.
  /// \param host  an address or a name
  /// \param port  0: any that is free
  /// \return the port
  /// \throws InvalidArgument  naming --host or --port
  int open(const std::string& host, int port);
  /// Takes connections until `descriptor` can be read; then calls `ending`, ends all of them and waits until they are.
  void take_until_readable(int descriptor, const std::function<void()>& ending);

  /// Before the body of a request is read: it may have so many bytes.
  static void admit_body(std::size_t bytes);
  /// From a handler: the request has come whole and is being worked on.
  static void begin_answer();
  /// The connection ends with this answer, as what else comes over it cannot be trusted.
  static void close_after_answer();

 private:
  void take();
  void talk(Connection& connection);
  bool make_room();

  Bounds bounds_;
  int listening_ = -1;
  std::mutex lock_;
  std::condition_variable changed_;
  std::list<std::shared_ptr<Connection>> open_;
  std::size_t threads_ = 0;
};

}  // namespace tailbound::serve
