#pragma once

#include <serve/http/connections.hpp>
#include <serve/page/query.hpp>
#include <serve/page/runs.hpp>
#include <serve/workers/worker_pool.hpp>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <string>

/// The workbench over HTTP: one page and the results that it requests.
///
///   GET  /TOKEN/                      the page, its styles and scripts
///   GET  /TOKEN/api/questions         the declarations of all forms
///   POST /TOKEN/api/ask               a result as HTML, or {"error": ..}
///   POST /TOKEN/api/answer/FORMAT     the same as a download, as the command writes it
///   POST /TOKEN/api/runs              starts a run: {"run": ID}
///   GET  /TOKEN/api/runs              all runs
///   GET  /TOKEN/api/runs/ID           its progress, then its result; on request also its query
///   POST /TOKEN/api/runs/ID/stop      stops it; the partial result is kept
///   GET  /TOKEN/api/runs/ID/FORMAT    its result as a download
///
/// Requests are accepted only for this address, from the page itself or without an origin, and with the
/// token.
namespace tailbound::serve {

class Server {
 public:
  explicit Server(const WorkLimits& limits);

  /// Listens.  \return the URL of the page
  /// \throws InvalidArgument  naming --host or --port
  [[nodiscard]] std::string open(const std::string& host, int port);
  /// Serves until `descriptor` is readable; then stops all runs.
  /// \param stopping  called when the shutdown begins
  /// \return number of runs stopped
  std::size_t serve_until_readable(int descriptor, const std::function<void()>& stopping);

 private:
  using Request = httplib::Request;
  using Response = httplib::Response;

  void route();
  [[nodiscard]] bool admit(const Request& request, Response& response);
  void get(const Request& request, Response& response);
  void post(const Request& request, Response& response);
  void answer_query(const Request& request, Response& response, const std::optional<std::string>& format);
  [[nodiscard]] RequestOutcome outcome_of(const Query& query, const std::string& format);
  void show_run(const std::string& path, const Request& request, Response& response);

  WorkerPool pool_;
  Connections connections_;
  Runs runs_;
  std::string token_, host_, port_;
  std::counting_semaphore<1024> free_;
  std::mutex lock_;
  std::map<std::string, std::weak_ptr<PendingRequest>>
      pending_;  ///< by page, or by a number if the page is unknown
  std::size_t numbers_ = 0;
};

}  // namespace tailbound::serve
