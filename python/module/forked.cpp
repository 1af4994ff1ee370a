#include <python/module/forked.hpp>
#include <tailbound/run/bytes.hpp>

#include <poll.h>

#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace tailbound::python {
namespace {

/// Interval of checks for signals [ms].
constexpr int slice_of_poll = 50;

/// Runs in the child.
int work_through(const py::function& work, run::FramedStream& to_parent) {
  PyOS_AfterFork_Child();
  while (const auto requested = to_parent.receive(run::FramedStream::Clock::time_point::max())) {
    const auto place = run::ByteReader(*requested).get<std::uint64_t>();
    const py::bytes result = work(place);
    run::ByteWriter reply;
    reply.put(place);
    reply.put(std::string_view(result));
    if (!to_parent.send(reply.take())) break;
  }
  return 0;
}

}  // namespace

Forked::Forked(const py::function& work, std::size_t count, int processes) : count_(count) {
  std::vector<int> inherited;
  for (int i = 0; i < processes && inherited.size() < count; ++i) {
    PyOS_BeforeFork();
    try {
      workers_.push_back(std::make_unique<run::ChildProcess>(
          [&work](run::FramedStream& to_parent) { return work_through(work, to_parent); }, inherited));
    } catch (...) {
      PyOS_AfterFork_Parent();
      throw;
    }
    PyOS_AfterFork_Parent();
    inherited.push_back(workers_.back()->stream().descriptor());
  }
  for (int ahead = 0; ahead < 2; ++ahead)  // so that no worker waits for its next item
    for (const auto& worker : workers_) dispatch(*worker);
}

void Forked::dispatch(run::ChildProcess& worker) {
  if (dispatched_ == count_) return;
  run::ByteWriter place;
  place.put<std::uint64_t>(dispatched_++);
  worker.stream().send(place.take());
}

void Forked::handle_message(run::ChildProcess& worker) {
  while (const auto bytes = worker.stream().take()) {
    run::ByteReader reply(*bytes);
    const auto place = reply.get<std::uint64_t>();
    come_[place] = reply.get_text();
    dispatch(worker);
  }
  if (worker.stream().ended()) throw std::runtime_error(run::words_of_end(worker.wait()));
}

py::bytes Forked::next() {
  while (!come_.contains(taken_)) {
    if (taken_ >= count_) throw std::out_of_range("all have been taken");
    {
      const py::gil_scoped_release released;
      std::vector<pollfd> looks;
      for (const auto& worker : workers_)
        looks.push_back({.fd = worker->stream().descriptor(), .events = POLLIN, .revents = 0});
      poll(looks.data(), looks.size(), slice_of_poll);
    }
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    for (const auto& worker : workers_) handle_message(*worker);
  }
  return py::bytes(come_.extract(taken_++).mapped());
}

}  // namespace tailbound::python
