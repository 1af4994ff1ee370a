#include <poll.h>
#include <signal.h>
#include <tailbound/run/bytes.hpp>
#include <tailbound/run/process/child_process.hpp>

#include <cstdio>
#include <memory>
#include <string_view>
#include <tests/support/forked.hpp>

namespace tailbound::test {
namespace {

volatile sig_atomic_t stopped = 0;  // NOLINT: for the signal handler

/// Pieces that have started are finished, and no others.
void heed_stops() {
  struct sigaction action {};
  action.sa_handler = [](int) { stopped = 1; };
  for (const int stop : {SIGTERM, SIGINT}) sigaction(stop, &action, nullptr);
}

}  // namespace

std::map<std::uint64_t, std::string> forked(int jobs, std::uint64_t first, std::uint64_t count,
                                            const std::function<std::string(std::uint64_t)>& work) {
  heed_stops();
  std::vector<std::unique_ptr<run::ChildProcess>> workers;
  std::vector<int> inherited;
  std::fflush(nullptr);
  for (auto w = static_cast<std::uint64_t>(jobs); w-- > 0;) {
    workers.push_back(std::make_unique<run::ChildProcess>(
        [&](run::FramedStream& to_parent) {
          heed_stops();
          for (std::uint64_t number = first + w; number < first + count && stopped == 0;
               number += static_cast<std::uint64_t>(jobs)) {
            run::ByteWriter result;
            result.put(number);
            result.put(std::string_view(work(number)));
            if (!to_parent.send(result.take())) return 3;
          }
          return 0;
        },
        inherited));
    inherited.push_back(workers.back()->stream().descriptor());
  }
  std::map<std::uint64_t, std::string> results;
  while (!workers.empty()) {
    std::vector<pollfd> wanted;
    for (const auto& worker : workers) wanted.push_back({worker->stream().descriptor(), POLLIN, 0});
    poll(wanted.data(), wanted.size(), -1);
    for (auto& worker : workers) {
      while (const auto bytes = worker->stream().take()) {
        run::ByteReader result(*bytes);
        const auto number = result.get<std::uint64_t>();
        results[number] = result.get_text();
      }
      if (worker->stream().ended()) worker.reset();
    }
    std::erase(workers, nullptr);
  }
  return results;
}

std::string joined(const Records& records) {
  std::string text;
  for (const auto& fields : records) {
    for (const std::string& field : fields) text += field + "\x01";
    text += "\x02";
  }
  return text;
}

Records parted(const std::string& text) {
  Records records;
  std::size_t at = 0;
  for (std::size_t end = text.find('\x02'); end != std::string::npos; end = text.find('\x02', at)) {
    auto& fields = records.emplace_back();
    while (at < end) {
      const std::size_t stop = text.find('\x01', at);
      fields.push_back(text.substr(at, stop - at));
      at = stop + 1;
    }
    at = end + 1;
  }
  return records;
}

}  // namespace tailbound::test
