#include <tailbound/run/deep_thread.hpp>
#include <tailbound/run/threads.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

namespace tailbound::run {
namespace {

/// Time between two progress messages of a piece.
constexpr auto between_reports = std::chrono::milliseconds(100);

thread_local bool this_is_a_hand = false;

}  // namespace

bool on_hand() {
  return this_is_a_hand;
}

/// Messages of all threads.
class ThreadHands::Shared {
 public:
  void say(std::size_t hand, Message message) {
    {
      const std::scoped_lock guard(lock_);
      said_.push_back({hand, std::move(message)});
    }
    changed_.notify_one();
  }
  std::optional<Said> receive(Clock::time_point until) {
    std::unique_lock guard(lock_);
    changed_.wait_until(guard, until, [this] { return !said_.empty(); });
    if (said_.empty()) return {};
    Said first = std::move(said_.front());
    said_.pop_front();
    return first;
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<Said> said_;
};

class ThreadHands::Thread final : public Look {
 public:
  Thread(const Job& job, std::size_t number, Shared& shared) : job_(job), number_(number), shared_(shared) {
    thread_.emplace([this] { work(); }, job.alone ? DeepThread::Stack::deep : DeepThread::Stack::usual);
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

  [[nodiscard]] Wish at(double done) override {
    if (stop_) return Wish::stop;
    if (const Clock::time_point now = Clock::now(); now - reported_ >= between_reports) {
      reported_ = now;
      shared_.say(number_, {.kind = Message::Kind::looked, .piece = piece_, .done = done});
    }
    return state_wanted_.exchange(false) ? Wish::state : Wish::go_on;
  }
  void keep(std::string state) override {
    shared_.say(number_, {.kind = Message::Kind::kept, .piece = piece_, .bytes = std::move(state)});
  }

 private:
  void work() {
    this_is_a_hand = true;
    for (;;) {
      Message next;
      {
        std::unique_lock guard(lock_);
        changed_.wait(guard, [this] { return !inbox_.empty(); });
        next = std::move(inbox_.front());
        inbox_.pop_front();
      }
      if (next.kind == Message::Kind::leave) return;
      shared_.say(number_, done(std::move(next)));
    }
  }

  Message done(Message next) {
    piece_ = next.piece;
    Message said{.kind = Message::Kind::left, .piece = piece_};
    if (stop_) {
      said.bytes = std::move(next.bytes);
      return said;
    }
    try {
      Piece piece = job_.work(piece_, next.bytes, *this);
      said.kind = piece.finished ? Message::Kind::finished : Message::Kind::left;
      said.bytes = std::move(piece.bytes);
    } catch (...) {
      said.kind = Message::Kind::failed;
      said.failure = std::current_exception();
    }
    return said;
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

ThreadHands::ThreadHands(const Job& job, std::size_t threads) : shared_(std::make_unique<Shared>()) {
  for (std::size_t i = 0; i < threads; ++i) threads_.push_back(std::make_unique<Thread>(job, i, *shared_));
}
ThreadHands::~ThreadHands() = default;

std::size_t ThreadHands::count() const {
  return threads_.size();
}

void ThreadHands::send(std::size_t hand, const Message& message) {
  threads_[hand]->take(message);
}

std::optional<Hands::Said> ThreadHands::receive(Clock::time_point until) {
  return shared_->receive(until);
}

Threads::Threads(int threads) : threads_(threads) {
  if (threads < 1 || threads > 1024)
    throw InvalidArgument("threads", std::to_string(threads), "from 1 to 1024");
}

namespace {

/// For pieces that need not check for requests.
class NoLook final : public Look {
 public:
  explicit NoLook(std::stop_token stop) : stop_(std::move(stop)) {}
  [[nodiscard]] Wish at(double) override { return stop_.stop_requested() ? Wish::stop : Wish::go_on; }
  void keep(std::string) override {}

 private:
  std::stop_token stop_;
};

Outcome one_after_the_other(const Job& job, const Controls& controls, std::vector<Piece> pieces) {
  const Clock::time_point start = Clock::now();
  const auto spent = [&start] { return std::chrono::duration<double>(Clock::now() - start); };
  pieces.resize(job.pieces);
  NoLook look(controls.stop);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].finished) continue;
    if (controls.stop.stop_requested()) break;
    if (controls.progress && pieces.size() > 1)
      controls.progress({.done = static_cast<double>(i) / static_cast<double>(pieces.size()),
                         .spent = spent(),
                         .left = {}});
    try {
      pieces[i] = job.work(i, pieces[i].bytes, look);
    } catch (const Stopped&) {
      if (controls.stop.stop_requested()) break;
      throw;
    }
  }
  return {.pieces = std::move(pieces), .crew = {}, .seconds = spent().count()};
}

}  // namespace

Outcome Threads::carry_out(const Job& job, const Controls& controls, std::vector<Piece> begun) {
  if (job.alone) return one_after_the_other(job, controls, std::move(begun));
  const std::size_t threads = std::min(static_cast<std::size_t>(threads_), job.pieces);
  ThreadHands hands(job, threads);
  return deal(job, controls, std::move(begun), hands,
              {.kind = Crew::Kind::threads, .count = static_cast<int>(threads)});
}

void serve(const Job& job, Wire& wire, bool& busy) {
  // Abandoned, not joined, if a piece that does not check for requests is running at the end.
  auto hands = std::make_unique<ThreadHands>(job, 1);
  std::size_t held = 0;
  busy = false;
  for (;;) {
    bool heard = false;
    while (auto message = wire.take()) {
      heard = true;
      if (message->kind == Message::Kind::leave) {
        busy = held > 0 && job.alone;
        if (busy) static_cast<void>(hands.release());
        return;
      }
      if (message->kind == Message::Kind::work) ++held;
      hands->send(0, *message);
    }
    const bool waits = held > 0 && !heard;
    auto said = hands->receive(waits ? Clock::now() + wire.patience() : Clock::now());
    for (; said; said = hands->receive(Clock::now())) {
      heard = true;
      const Message::Kind kind = said->message.kind;
      if (kind != Message::Kind::looked && kind != Message::Kind::kept) --held;
      wire.send(said->message);
    }
    if (!heard && !waits) wire.rest();
  }
}

}  // namespace tailbound::run
