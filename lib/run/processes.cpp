#include <tailbound/run/processes.hpp>
#include <tailbound/run/threads.hpp>

#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <utility>

namespace tailbound::run {
namespace {

class ChildLink final : public WorkerLink {
 public:
  explicit ChildLink(FramedStream& stream) : stream_(stream) {}
  [[nodiscard]] std::optional<Message> take() override {
    if (const auto bytes = stream_.take()) return decoded(*bytes);
    if (stream_.ended()) return Message{.kind = Message::Kind::leave};
    return {};
  }
  void send(const Message& message) override { stream_.send(encoded(message)); }
  void rest() override {
    pollfd something{.fd = stream_.descriptor(), .events = POLLIN, .revents = 0};
    poll(&something, 1, 100);
  }
  [[nodiscard]] std::chrono::microseconds timeout() override { return std::chrono::milliseconds(10); }

 private:
  FramedStream& stream_;
};

/// The message for a child process that has ended.
Message last_words(int status) {
  Message gone{.kind = Message::Kind::gone, .bytes = words_of_end(status)};
  if (WIFEXITED(status) && WEXITSTATUS(status) == 1)  // begin_process()
    gone.failure = std::make_exception_ptr(std::bad_alloc());
  return gone;
}

}  // namespace

std::unique_ptr<ChildProcess> ProcessWorkers::begin_child() {
  std::vector<int> inherited;
  for (const auto& child : children_)
    if (child != nullptr) inherited.push_back(child->stream().descriptor());
  return std::make_unique<ChildProcess>(
      [this](FramedStream& to_parent) {
        ChildLink link(to_parent);
        bool busy = false;  // a running piece ends with the process
        serve(job_, link, busy);
        return 0;
      },
      inherited);
}

ProcessWorkers::ProcessWorkers(const Job& job, std::size_t processes) : job_(job) {
  for (std::size_t i = 0; i < processes; ++i) children_.push_back(begin_child());
}
ProcessWorkers::~ProcessWorkers() = default;

std::size_t ProcessWorkers::count() const {
  return children_.size();
}

void ProcessWorkers::send(std::size_t worker, const Message& message) {
  if (children_[worker] != nullptr) children_[worker]->stream().send(encoded(message));
}

std::optional<Workers::Received> ProcessWorkers::receive(Clock::time_point until) {
  for (;;) {
    for (std::size_t looked = 0; looked < children_.size(); ++looked) {
      const std::size_t worker = next_ = (next_ + 1) % children_.size();
      if (children_[worker] == nullptr) continue;
      FramedStream& stream = children_[worker]->stream();
      if (const auto bytes = stream.take()) return Received{worker, decoded(*bytes)};
      if (!stream.ended()) continue;
      const int status = children_[worker]->wait();
      children_[worker].reset();
      if (!job_.begins_again || !job_.begins_again(status)) return Received{worker, last_words(status)};
      children_[worker] = begin_child();
      return Received{worker, {.kind = Message::Kind::replaced}};
    }
    const int left = milliseconds_until(until);
    if (left == 0) return {};
    std::vector<pollfd> looks;
    for (const auto& child : children_)
      if (child != nullptr)
        looks.push_back({.fd = child->stream().descriptor(), .events = POLLIN, .revents = 0});
    poll(looks.data(), looks.size(), left);
  }
}

bool ProcessWorkers::abandon() {
  for (auto& child : children_) child.reset();
  return true;
}

Processes::Processes(int processes) : processes_(processes) {
  if (processes < 1 || processes > 1024)
    throw InvalidArgument("processes", std::to_string(processes), "from 1 to 1024");
}

Outcome Processes::carry_out(const Job& job, const Controls& controls, std::vector<Piece> begun) {
  if (on_worker()) return Threads(1).carry_out(job, controls, std::move(begun));
  const auto left = static_cast<std::size_t>(
      std::count_if(begun.begin(), begun.end(), [](const Piece& piece) { return !piece.finished; }));
  const std::size_t processes =
      std::clamp<std::size_t>(begun.empty() ? job.pieces : left, 1, static_cast<std::size_t>(processes_));
  ProcessWorkers workers(job, processes);
  return schedule(job, controls, std::move(begun), workers,
                  {.kind = WorkerGroup::Kind::processes, .count = static_cast<int>(processes)});
}

}  // namespace tailbound::run
