#include <cli/commands/crossbars/crossbar_options.hpp>
#include <tailbound/answers/points/combinations.hpp>

#include <algorithm>

namespace tailbound::cli {

using answers::CrossbarQuery;
using traffic::CrossbarScheduler;

Accepted<Rationals> crossbar_loads() {
  return shares().such_that([](const numeric::Rational& load) { return load > 0 && load <= 1; },
                            "above 0 and at most 1: packets per slot of each input");
}

Accepted<std::vector<std::int64_t>> iteration_counts() {
  const char* const legal = "a whole number from 1 to 4096, or all";
  const auto read = [legal](const std::string& text, const std::string& option) {
    std::vector<std::int64_t> list;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      const std::string entry = text.substr(begin, end - begin);
      if (entry == "all")
        list.push_back(0);
      else
        for (const std::int64_t count : parse_integers(entry, option, 1, CrossbarQuery::max_ports, legal))
          list.push_back(count);
      begin = end + 1;
    }
    return list;
  };
  return Accepted<std::vector<std::int64_t>>{.read = read}.must_be(legal).slider(1, 8, 1);
}

bool SchedulerOptions::any(std::initializer_list<CrossbarScheduler> wanted) const {
  const std::vector<CrossbarScheduler> given = scheduler.value();
  return std::any_of(wanted.begin(), wanted.end(), [&](CrossbarScheduler each) {
    return std::find(given.begin(), given.end(), each) != given.end();
  });
}

void require_schedulers(const SchedulerOptions& options) {
  if (!options.any({CrossbarScheduler::pim, CrossbarScheduler::islip}))
    reject_without({&options.iterations}, "--scheduler pim or islip");
  if (!options.any({CrossbarScheduler::crosspoint}))
    reject_without({&options.crosspoint}, "--scheduler crosspoint");
}

std::vector<CrossbarQuery> with_schedulers(const std::vector<CrossbarQuery>& queries,
                                           const SchedulerOptions& options) {
  require_schedulers(options);
  std::vector<CrossbarQuery> all;
  for (const CrossbarScheduler scheduler : options.scheduler.value()) {
    std::vector<CrossbarQuery> points =
        answers::Combinations(queries)
            .by(std::vector{scheduler}, &CrossbarQuery::scheduler)
            .by(has_iterations(scheduler) ? options.iterations.each()
                                          : decltype(options.iterations.each()){std::nullopt},
                &CrossbarQuery::iterations)
            .by(scheduler == CrossbarScheduler::crosspoint ? options.crosspoint.value()
                                                           : std::vector<std::int64_t>{1},
                &CrossbarQuery::crosspoint)
            .by(options.speedup.each(), &CrossbarQuery::speedup)
            .points();
    all.insert(all.end(), std::make_move_iterator(points.begin()), std::make_move_iterator(points.end()));
  }
  return all;
}

}  // namespace tailbound::cli
