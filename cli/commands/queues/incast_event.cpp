#include <cli/commands/queues/buffer_options.hpp>
#include <cli/options/replies.hpp>
#include <tailbound/answers/buffer/incast_event.hpp>
#include <tailbound/answers/points/combinations.hpp>
#include <tailbound/render/documents/incast/incast_event.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace tailbound::cli {

using answers::IncastEventQuery;
using bounds::IncastEvent;

bool asks_for_one_event(const std::string* incast, bool load, const std::string* solve) {
  return incast != nullptr && !load && (solve == nullptr || *solve != "load") &&
         std::count(incast->begin(), incast->end(), ',') == 1;
}

Reply answer_incast_event(const BufferOptions& options, const Context& context) {
  const answers::Units units = read_units(options.units);
  const std::vector<RequestedBuffer> requested = read_requested(
      options, answers::BufferQuery::deepest,
      {.both =
           "give --drop alone for the buffer that meets a target, or --capacity alone for its probability",
       .missing = "give the target probability, such as --drop 1e-9, or a buffer with --capacity B"},
      packet_unit(options.units));
  const auto [senders, packets] = read_incast(*options.traffic.incast);
  const std::vector<IncastEventQuery> queries =
      answers::Combinations(
          IncastEventQuery{.event = {.senders = senders, .packets = packets}, .requested = {}})
          .by(integers_or(1, options.spread, "--spread", 1, IncastEvent::max_spread),
              [](auto& each, std::int64_t slots) { each.event.spread = slots; })
          .by(integers_or(1, options.traffic.packets_per_slot, "--packets-per-slot", 1,
                          IncastEvent::max_senders),
              [](auto& each, std::int64_t served) { each.event.served = served; })
          .by(read_criteria(options.criterion), &IncastEventQuery::criterion)
          .by(requested, &IncastEventQuery::requested)
          .points();
  return show_all(
      queries, context, [&](const auto& points) { return render::document(points, units); },
      [&](const IncastEventQuery& query) { return render::inputs_of(query, units); });
}

}  // namespace tailbound::cli
