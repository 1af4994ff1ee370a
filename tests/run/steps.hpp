#pragma once

#include <tailbound/run/bytes.hpp>
#include <tailbound/run/executor.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

/// A job whose pieces differ by a factor of 100 in length, can be interrupted anywhere, and record all their
/// steps.
namespace tailbound::test {

/// Piece n makes 2000 (1 + n % 100) steps x' = 3 x + n, and checks every 500.
inline run::Job steps_job(std::size_t pieces, std::int64_t unit = 2000) {
  run::Job job{.identity = "steps", .pieces = pieces, .work = {}};
  job.work = [unit](std::size_t number, std::string_view state, run::PieceMonitor& monitor) {
    const std::int64_t steps = unit * static_cast<std::int64_t>(1 + number % 100);
    std::int64_t at = 0;
    std::uint64_t x = 1;
    if (!state.empty()) {
      run::ByteReader reader(state);
      at = reader.get<std::int64_t>();
      x = reader.get<std::uint64_t>();
    }
    const auto state_bytes = [&] {
      run::ByteWriter writer;
      writer.put(at);
      writer.put(x);
      return writer.take();
    };
    while (at < steps) {
      for (int i = 0; i < 500 && at < steps; ++i, ++at) x = 3 * x + number;
      const run::PieceMonitor::Directive directive =
          monitor.at(static_cast<double>(at) / static_cast<double>(steps));
      if (directive == run::PieceMonitor::Directive::stop && at < steps)
        return run::Piece{state_bytes(), false};
      if (directive == run::PieceMonitor::Directive::state) monitor.keep(state_bytes());
    }
    return run::Piece{state_bytes(), true};
  };
  return job;
}

}  // namespace tailbound::test
