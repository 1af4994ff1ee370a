#include <tailbound/run/scheduler.hpp>

#include <algorithm>
#include <deque>
#include <exception>
#include <stdexcept>
#include <utility>

namespace tailbound::run {
namespace {

/// Maximum time until a stop request is seen.
constexpr auto look_at_least = std::chrono::milliseconds(20);

/// Amount of work assigned to one worker ahead of time, so that short pieces do not wait for messages.
constexpr auto work_ahead = std::chrono::milliseconds(20);
constexpr std::size_t max_ahead = 256;

class Scheduler {
 public:
  Scheduler(const Job& job, const Controls& controls, std::vector<Piece> begun, Workers& workers)
      : job_(job), controls_(controls), workers_(workers), pieces_(std::move(begun)), held_(workers.count()) {
    pieces_.resize(job.pieces);
    done_.resize(job.pieces);
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (!pieces_[i].finished) waiting_.push_back(i);
      done_[i] = pieces_[i].finished ? 1 : job.done_before ? job.done_before(pieces_[i]) : 0;
      done_at_start_ += done_[i];
    }
  }

  void go() {
    try {
      loop();
    } catch (...) {
      end_work();  // a callback threw, or a worker is lost
      throw;
    }
    if (failure_) std::rethrow_exception(failure_);
    if (controls_.progress) report();
  }

  [[nodiscard]] std::vector<Piece> take() { return std::move(pieces_); }
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  /// The pieces of one worker, the first being executed.
  struct Held {
    std::deque<std::size_t> pieces;
    bool requested = false;  ///< a state was requested and has not arrived
  };

  void loop() {
    Clock::time_point next_report = start_ + controls_.progress_interval;
    Clock::time_point next_checkpoint = start_ + controls_.checkpoint_interval;
    for (;;) {
      if (controls_.stop.stop_requested() && !stopping_) {
        if (!job_.attentive && workers_.abandon()) return;
        stop();
      }
      if (!stopping_) dispatch();
      if (nobody_works()) return;
      const Clock::time_point until = std::min({next_report, next_checkpoint, Clock::now() + look_at_least});
      if (auto received = workers_.receive(until))
        handle_message(received->worker, std::move(received->message));
      if (failure_ && !job_.attentive && !anything_before(failed_) && workers_.abandon()) return;
      if (Clock::now() >= next_report) {
        next_report = Clock::now() + controls_.progress_interval;
        if (controls_.progress) report();
      }
      if (gathering_ && none_requested()) {
        gathering_ = false;
        next_checkpoint = Clock::now() + controls_.checkpoint_interval;
        controls_.checkpoint(pieces_);
      }
      if (Clock::now() >= next_checkpoint) {
        next_checkpoint = Clock::now() + controls_.checkpoint_interval;
        if (controls_.checkpoint && job_.attentive && !gathering_) gather();
      }
    }
  }

  void dispatch() {
    const std::size_t ahead = pieces_ahead();
    // Each worker gets one piece before any gets a second.
    for (std::size_t more = 1; more <= ahead && !waiting_.empty(); ++more)
      for (std::size_t worker = 0; worker < held_.size() && !waiting_.empty(); ++worker) {
        if (held_[worker].pieces.size() >= more) continue;
        const std::size_t piece = waiting_.front();
        if (failure_ && piece > failed_) return;
        waiting_.pop_front();
        held_[worker].pieces.push_back(piece);
        workers_.send(worker, {.kind = Message::Kind::work, .piece = piece, .bytes = pieces_[piece].bytes});
      }
  }

  [[nodiscard]] std::size_t pieces_ahead() const {
    if (finished_ == 0) return 1;
    const double each = seconds() * static_cast<double>(held_.size()) / static_cast<double>(finished_);
    const double wanted = std::chrono::duration<double>(work_ahead).count() / std::max(each, 1e-6);
    const std::size_t fair = std::min(max_ahead, waiting_.size() / (2 * held_.size()));
    return 1 + std::min(fair, static_cast<std::size_t>(wanted));
  }

  void handle_message(std::size_t worker, Message message) {
    using Kind = Message::Kind;
    if (message.kind == Kind::gone) {
      held_[worker].pieces.clear();
      held_[worker].requested = false;
      if (message.failure) std::rethrow_exception(message.failure);
      throw std::runtime_error(message.bytes);
    }
    if (message.kind == Kind::replaced) {
      auto& pieces = held_[worker].pieces;
      waiting_.insert(waiting_.begin(), pieces.begin(), pieces.end());
      pieces.clear();
      held_[worker].requested = false;
      return;
    }
    const std::size_t piece = message.piece;
    if (message.kind == Kind::looked) {
      done_[piece] = message.done;
      return;
    }
    if (message.kind == Kind::kept) {
      pieces_[piece].bytes = std::move(message.bytes);
      held_[worker].requested = false;
      return;
    }
    std::erase(held_[worker].pieces, piece);
    if (held_[worker].pieces.empty()) held_[worker].requested = false;
    if (message.kind == Kind::failed) {
      fail(piece, std::move(message.failure));
      return;
    }
    pieces_[piece] = {std::move(message.bytes), message.kind == Kind::finished};
    if (message.kind != Kind::finished) return;
    done_[piece] = 1;
    ++finished_;
  }

  /// Unless the job is attentive, the exception of the first throwing piece counts: pieces before it go on.
  void fail(std::size_t piece, std::exception_ptr failure) {
    if (!failure_ || piece < failed_) {
      failure_ = std::move(failure);
      failed_ = piece;
    }
    if (job_.attentive && !stopping_) stop();
  }
  [[nodiscard]] bool anything_before(std::size_t piece) const {
    if (!waiting_.empty() && waiting_.front() < piece) return true;
    return std::any_of(held_.begin(), held_.end(), [&](const Held& held) {
      return std::any_of(held.pieces.begin(), held.pieces.end(), [&](std::size_t p) { return p < piece; });
    });
  }

  void stop() {
    stopping_ = true;
    for (std::size_t worker = 0; worker < held_.size(); ++worker)
      if (!held_[worker].pieces.empty()) workers_.send(worker, {.kind = Message::Kind::stop});
  }

  /// After an error here: stops all workers.
  void end_work() noexcept {
    try {
      if (!job_.attentive && workers_.abandon()) return;
      stop();
      while (!nobody_works())
        if (auto received = workers_.receive(Clock::now() + look_at_least)) {
          if (received->message.kind == Message::Kind::gone)
            held_[received->worker].pieces.clear();
          else if (received->message.kind != Message::Kind::looked &&
                   received->message.kind != Message::Kind::kept)
            std::erase(held_[received->worker].pieces, received->message.piece);
        }
    } catch (...) {  // the first error is reported
    }
  }

  void gather() {
    gathering_ = true;
    for (std::size_t worker = 0; worker < held_.size(); ++worker) {
      if (held_[worker].pieces.empty()) continue;
      held_[worker].requested = true;
      workers_.send(worker, {.kind = Message::Kind::state});
    }
  }

  [[nodiscard]] bool nobody_works() const {
    return std::all_of(held_.begin(), held_.end(), [](const Held& held) { return held.pieces.empty(); });
  }
  [[nodiscard]] bool none_requested() const {
    return std::none_of(held_.begin(), held_.end(), [](const Held& held) { return held.requested; });
  }

  void report() {
    double done = 0;
    for (const double each : done_) done += each;
    const auto all = static_cast<double>(std::max<std::size_t>(done_.size(), 1));
    const double own = done - done_at_start_;
    Progress progress{.done = std::min(1.0, done / all), .spent = Clock::now() - start_, .left = {}};
    progress.left = std::chrono::duration<double>(own > 0 ? progress.spent.count() * (all - done) / own : 0);
    controls_.progress(progress);
  }

  const Job& job_;
  const Controls& controls_;
  Workers& workers_;
  std::vector<Piece> pieces_;
  std::vector<double> done_;
  double done_at_start_ = 0;
  std::deque<std::size_t> waiting_;
  std::vector<Held> held_;
  std::size_t finished_ = 0, failed_ = 0;
  bool stopping_ = false, gathering_ = false;
  std::exception_ptr failure_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

Outcome schedule(const Job& job, const Controls& controls, std::vector<Piece> begun, Workers& workers,
                 WorkerGroup worker_group) {
  Scheduler scheduler(job, controls, std::move(begun), workers);
  scheduler.go();
  return {.pieces = scheduler.take(), .worker_group = worker_group, .seconds = scheduler.seconds()};
}

}  // namespace tailbound::run
