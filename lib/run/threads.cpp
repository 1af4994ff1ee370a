#include <tailbound/run/deep_thread.hpp>
#include <tailbound/run/threads.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace tailbound::run {
namespace {

/// Time between two progress messages of a piece.
constexpr auto between_reports = std::chrono::milliseconds(100);

thread_local bool this_is_a_worker = false;

}  // namespace

bool on_worker() {
  return this_is_a_worker;
}

int all_cores() {
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 1024);
}

/// Messages of all threads.
class ThreadWorkers::Shared {
 public:
  void post(std::size_t worker, Message message) {
    {
      const std::scoped_lock guard(lock_);
      messages_.push_back({worker, std::move(message)});
    }
    changed_.notify_one();
  }
  std::optional<Received> receive(Clock::time_point until) {
    std::unique_lock guard(lock_);
    changed_.wait_until(guard, until, [this] { return !messages_.empty(); });
    if (messages_.empty()) return {};
    Received first = std::move(messages_.front());
    messages_.pop_front();
    return first;
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<Received> messages_;
};

class ThreadWorkers::Thread final : public PieceMonitor {
 public:
  Thread(const Job& job, std::size_t number, Shared& shared) : job_(job), number_(number), shared_(shared) {
    thread_.emplace([this] { work(); }, job.attentive ? DeepThread::Stack::usual : DeepThread::Stack::deep);
  }
  ~Thread() override {
    take({.kind = Message::Kind::stop});
    take({.kind = Message::Kind::leave});
    thread_->join();
  }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  void take(const Message& message) {
    if (message.kind == Message::Kind::state) {
      state_wanted_ = true;
      return;
    }
    if (message.kind == Message::Kind::stop) {
      stop_ = true;
      return;
    }
    {
      const std::scoped_lock guard(lock_);
      inbox_.push_back(message);
    }
    changed_.notify_one();
  }

  [[nodiscard]] Directive at(double done) override {
    if (stop_) return Directive::stop;
    if (const Clock::time_point now = Clock::now(); now - reported_ >= between_reports) {
      reported_ = now;
      shared_.post(number_, {.kind = Message::Kind::looked, .piece = piece_, .done = done});
    }
    return state_wanted_.exchange(false) ? Directive::state : Directive::go_on;
  }
  void keep(std::string state) override {
    shared_.post(number_, {.kind = Message::Kind::kept, .piece = piece_, .bytes = std::move(state)});
  }

 private:
  void work() {
    this_is_a_worker = true;
    for (;;) {
      Message next;
      {
        std::unique_lock guard(lock_);
        changed_.wait(guard, [this] { return !inbox_.empty(); });
        next = std::move(inbox_.front());
        inbox_.pop_front();
      }
      if (next.kind == Message::Kind::leave) return;
      shared_.post(number_, done(std::move(next)));
    }
  }

  Message done(Message next) {
    piece_ = next.piece;
    Message reply{.kind = Message::Kind::left, .piece = piece_};
    if (stop_) {
      reply.bytes = std::move(next.bytes);
      return reply;
    }
    try {
      Piece piece = job_.work(piece_, next.bytes, *this);
      reply.kind = piece.finished ? Message::Kind::finished : Message::Kind::left;
      reply.bytes = std::move(piece.bytes);
    } catch (...) {
      reply.kind = Message::Kind::failed;
      reply.failure = std::current_exception();
    }
    return reply;
  }

  const Job& job_;
  std::size_t number_;
  Shared& shared_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<Message> inbox_;
  std::atomic<bool> stop_ = false, state_wanted_ = false;
  std::size_t piece_ = 0;  ///< the current piece; the thread's own copy, unchanged:
  Clock::time_point reported_{};
  std::optional<DeepThread> thread_;
};

ThreadWorkers::ThreadWorkers(const Job& job, std::size_t threads) : shared_(std::make_unique<Shared>()) {
  for (std::size_t i = 0; i < threads; ++i) threads_.push_back(std::make_unique<Thread>(job, i, *shared_));
}
ThreadWorkers::~ThreadWorkers() = default;

std::size_t ThreadWorkers::count() const {
  return threads_.size();
}

void ThreadWorkers::send(std::size_t worker, const Message& message) {
  threads_[worker]->take(message);
}

std::optional<Workers::Received> ThreadWorkers::receive(Clock::time_point until) {
  return shared_->receive(until);
}

Threads::Threads(int threads) : threads_(threads) {
  if (threads < 1 || threads > 1024)
    throw InvalidArgument("threads", std::to_string(threads), "from 1 to 1024");
}

namespace {

/// For pieces that need not check for requests.
class NoMonitor final : public PieceMonitor {
 public:
  explicit NoMonitor(std::stop_token stop) : stop_(std::move(stop)) {}
  [[nodiscard]] Directive at(double) override {
    return stop_.stop_requested() ? Directive::stop : Directive::go_on;
  }
  void keep(std::string) override {}

 private:
  std::stop_token stop_;
};

Outcome one_after_the_other(const Job& job, const Controls& controls, std::vector<Piece> pieces) {
  const Clock::time_point start = Clock::now();
  const auto spent = [&start] { return std::chrono::duration<double>(Clock::now() - start); };
  pieces.resize(job.pieces);
  NoMonitor monitor(controls.stop);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].finished) continue;
    if (controls.stop.stop_requested()) break;
    if (controls.progress && pieces.size() > 1)
      controls.progress({.done = static_cast<double>(i) / static_cast<double>(pieces.size()),
                         .spent = spent(),
                         .left = {}});
    try {
      pieces[i] = job.work(i, pieces[i].bytes, monitor);
    } catch (const Stopped&) {
      if (controls.stop.stop_requested()) break;
      throw;
    }
  }
  return {.pieces = std::move(pieces), .worker_group = {}, .seconds = spent().count()};
}

}  // namespace

Outcome Threads::carry_out(const Job& job, const Controls& controls, std::vector<Piece> begun) {
  if (!job.attentive && threads_ == 1) return one_after_the_other(job, controls, std::move(begun));
  const std::size_t threads = std::min(static_cast<std::size_t>(threads_), job.pieces);
  ThreadWorkers workers(job, threads);
  return schedule(job, controls, std::move(begun), workers,
                  {.kind = WorkerGroup::Kind::threads, .count = static_cast<int>(threads)});
}

void serve(const Job& job, WorkerLink& link, bool& busy) {
  // Abandoned, not joined, if a piece that does not check for requests is running at the end.
  auto workers = std::make_unique<ThreadWorkers>(job, 1);
  std::size_t held = 0;
  busy = false;
  for (;;) {
    bool heard = false;
    while (auto message = link.take()) {
      heard = true;
      if (message->kind == Message::Kind::leave) {
        busy = held > 0 && !job.attentive;
        if (busy) static_cast<void>(workers.release());
        return;
      }
      if (message->kind == Message::Kind::work) ++held;
      workers->send(0, *message);
    }
    const bool waits = held > 0 && !heard;
    auto reply = workers->receive(waits ? Clock::now() + link.timeout() : Clock::now());
    for (; reply; reply = workers->receive(Clock::now())) {
      heard = true;
      const Message::Kind kind = reply->message.kind;
      if (kind != Message::Kind::looked && kind != Message::Kind::kept) --held;
      link.send(reply->message);
    }
    if (!heard && !waits) link.rest();
  }
}

}  // namespace tailbound::run
