#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <tests/support/forked.hpp>

namespace tailbound::test {
namespace {

volatile sig_atomic_t stopped = 0;  // NOLINT: of the signal handler

void write_all(int to, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t some = ::write(to, text.data() + done, text.size() - done);
    if (some <= 0) std::_Exit(3);
    done += static_cast<std::size_t>(some);
  }
}

}  // namespace

std::map<std::uint64_t, std::string> forked(int jobs, std::uint64_t first, std::uint64_t count,
                                            const std::function<std::string(std::uint64_t)>& work) {
  struct sigaction action {};
  action.sa_handler = [](int) { stopped = 1; };
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  struct Worker {
    pid_t process = -1;
    int from = -1;
    std::string text{};
  };
  std::vector<Worker> workers(static_cast<std::size_t>(jobs));
  std::fflush(nullptr);
  for (std::size_t w = 0; w < workers.size(); ++w) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    workers[w].process = ::fork();
    if (workers[w].process < 0) throw std::runtime_error("no process");
    if (workers[w].process == 0) {
      ::close(ends[0]);
      for (std::uint64_t number = first + w; number < first + count && stopped == 0; number += workers.size())
        write_all(ends[1], std::to_string(number) + "\x03" + work(number) + "\x04");
      std::_Exit(0);
    }
    ::close(ends[1]);
    workers[w].from = ends[0];
  }
  for (std::size_t open = workers.size(); open > 0;) {
    std::vector<pollfd> wanted;
    for (const Worker& worker : workers) wanted.push_back({worker.from, POLLIN, 0});
    if (::poll(wanted.data(), wanted.size(), -1) < 0) continue;
    for (std::size_t w = 0; w < workers.size(); ++w) {
      if (wanted[w].revents == 0 || workers[w].from < 0) continue;
      std::array<char, 65536> piece;
      const ssize_t some = ::read(workers[w].from, piece.data(), piece.size());
      if (some > 0) {
        workers[w].text.append(piece.data(), static_cast<std::size_t>(some));
      } else {
        ::close(workers[w].from);
        workers[w].from = -1;
        --open;
      }
    }
  }
  std::map<std::uint64_t, std::string> results;
  for (Worker& worker : workers) {
    ::waitpid(worker.process, nullptr, 0);
    std::size_t at = 0;
    for (std::size_t end = worker.text.find('\x04'); end != std::string::npos;
         end = worker.text.find('\x04', at)) {
      const std::size_t middle = worker.text.find('\x03', at);
      results[std::stoull(worker.text.substr(at, middle - at))] =
          worker.text.substr(middle + 1, end - middle - 1);
      at = end + 1;
    }
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
