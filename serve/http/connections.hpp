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

/// HTTP over a limited number of connections, with limits on the size of a request and on the time to receive
/// it. httplib parses requests and writes responses; this class accepts, times out and closes connections.
namespace tailbound::serve {

class Connection;

class Connections : public httplib::Server {
 public:
  struct Bounds {
    std::size_t connections = 64;                    ///< above it idle connections are closed
    std::size_t head_bytes = std::size_t{64} << 10;  ///< of a request header; the handler admits the body
    std::chrono::milliseconds for_request{10'000};   ///< from its first byte to its last
    std::chrono::milliseconds between_requests{30'000};
    std::chrono::milliseconds for_answer{30'000};  ///< until the client has received it
  };
  explicit Connections(const Bounds& bounds) : bounds_(bounds) {}
  ~Connections() override;

  /// Listens.
  /// \param host  an address or a name
  /// \param port  0: any free port
  /// \return the port
  /// \throws InvalidArgument  naming --host or --port
  int open(const std::string& host, int port);
  /// Accepts connections until `descriptor` is readable. Then calls `ending`, closes all connections and
  /// waits for them.
  void take_until_readable(int descriptor, const std::function<void()>& ending);

  /// Sets the size limit of the body, before it is read.
  static void admit_body(std::size_t bytes);
  /// Reads and drops a body of this length (at most 64 MiB) after the response.
  static void discard_body(std::size_t bytes);
  /// Called by a handler once the request is complete.
  static void begin_answer();
  /// Called with the headers of a response before they are sent: they say whether the connection stays open,
  /// as it then does. It stays open after a request that was read completely and does not ask to close it;
  /// after any other it is uncertain where the next one begins.
  static void promise(const httplib::Request& request, httplib::Response& response);

 private:
  void take();
  void serve_connection(Connection& connection);
  bool close_idle();

  Bounds bounds_;
  int listening_ = -1;
  std::mutex lock_;
  std::condition_variable changed_;
  std::list<std::shared_ptr<Connection>> open_;
  std::size_t threads_ = 0;
};

}  // namespace tailbound::serve
