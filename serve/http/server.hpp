#pragma once

#include <serve/http/connections.hpp>
#include <serve/page/question.hpp>
#include <serve/page/runs.hpp>
#include <serve/workers/worker_pool.hpp>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <string>

/// The workbench over HTTP: one page, and the answers that it asks for.
///
///   GET  /TOKEN/                      the page, and what it is made of beside it
///   GET  /TOKEN/api/questions         what its forms show
///   POST /TOKEN/api/ask               an answer, as HTML; {"error": ..} where there is none
///   POST /TOKEN/api/answer/FORMAT     the same, whole, as the command writes it
///   POST /TOKEN/api/runs              begins a run: {"run": ID}
///   GET  /TOKEN/api/runs/ID           how far it has come; its answer
///   POST /TOKEN/api/runs/ID/stop      asks for what is finished
///   GET  /TOKEN/api/runs/ID/FORMAT    its answer, whole
///
/// Everything is refused but what comes to this very address, from a page of it or from no page, with the token.
namespace tailbound::serve {

class Server {
 public:
  explicit Server(const WorkLimits& limits);

  /// Listens.  \return the link that opens the page
  /// \throws InvalidArgument  naming --host or --port
  [[nodiscard]] std::string open(const std::string& host, int port);
  /// Serves until `descriptor` can be read; then stops what runs.
  /// \param stopping  is told that it has begun to stop
  /// \return how many runs that has stopped
  std::size_t serve_until_readable(int descriptor, const std::function<void()>& stopping);

 private:
  using Request = httplib::Request;
  using Response = httplib::Response;

  void route();
  [[nodiscard]] bool admit(const Request& request, Response& response);
  void get(const Request& request, Response& response);
  void post(const Request& request, Response& response);
  void ask(const Request& request, Response& response, const std::optional<std::string>& format);
  [[nodiscard]] ErrandOutcome outcome_of(const Question& question, const std::string& format);
  void show_run(const std::string& path, const Request& request, Response& response);

  WorkerPool pool_;
  Connections connections_;
  Runs runs_;
  std::string token_, host_, port_;
  std::counting_semaphore<1024> free_;
  std::mutex lock_;
  std::map<std::string, std::weak_ptr<Errand>> asking_;  ///< by page, or by a number of its own
  std::size_t numbers_ = 0;
};

}  // namespace tailbound::serve
