#include <tailbound/bounds/guarantee/network_analysis.hpp>

#include <algorithm>
#include <set>

namespace tailbound::bounds {
namespace {

/// The minimum of both; a curve without lines is no bound.
ArrivalCurve capped(const ArrivalCurve& curve, const ArrivalCurve& cap) {
  return cap.is_nothing() || curve.is_nothing() ? curve : minimum(curve, cap);
}

ArrivalCurve scaled(const ArrivalCurve& curve, const Rational& factor) {
  if (factor == 1) return curve;
  std::vector<ArrivalCurve::Line> lines = curve.lines();
  for (ArrivalCurve::Line& line : lines) line = {line.rate * factor, line.burst * factor};
  return ArrivalCurve(std::move(lines));
}

}  // namespace

/// Arrival curve of the link itself.
ArrivalCurve Analysis::line(const InLink& link) const {
  if (!rules_.lines || network_.ports[link.port].reshaped) return {};
  return ArrivalCurve({{network_.ports[link.port].rate, link.longest[0] + link.longest[1]}});
}

/// Curves of groups, links and the whole queue from those of flows.
void Analysis::gather(AnalysedQueue& queue) {
  queue.arrivals = queue.own_sum;
  for (InLink& link : queue.links) {
    link.curve = {};
    for (AnalysedGroup& group : link.groups) {
      group.sum = {};
      for (const std::size_t flow : group.flows)
        group.sum += flow_paths_[flow].curves[hop(flow, queue.index)];
      group.curve = group.sum;
      if (!network_.ports[link.port].reshaped)
        if (const auto output = groups_.find({group.queue, queue.index}); output != groups_.end())
          group.curve = minimum(group.curve, output->second.curve);
      link.curve += group.curve;
    }
    link.curve = capped(link.curve, line(link));
    queue.arrivals += link.curve;
  }
}

namespace {

/// Links of several queues of one port, together.
struct JointLink {
  InLink whole;  ///< without groups
  std::vector<std::pair<const AnalysedQueue*, const InLink*>> parts;
};

std::vector<JointLink> joint_links(const std::vector<const AnalysedQueue*>& queues) {
  std::vector<JointLink> all;
  for (const AnalysedQueue* queue : queues)
    for (const InLink& link : queue->links) {
      auto found = std::find_if(all.begin(), all.end(),
                                [&](const JointLink& one) { return one.whole.port == link.port; });
      if (found == all.end()) {
        found = all.insert(all.end(), JointLink{});
        found->whole.port = link.port;
      }
      for (std::size_t kind = 0; kind < link.longest.size(); ++kind)
        found->whole.longest[kind] = std::max(found->whole.longest[kind], link.longest[kind]);
      found->parts.emplace_back(queue, &link);
    }
  return all;
}

}  // namespace

ArrivalCurve Analysis::arrivals_of(const std::vector<std::size_t>& queues, const Rational& later,
                                   const Rational& more) const {
  ArrivalCurve all;
  std::vector<const AnalysedQueue*> members;
  const auto factor = [&](const AnalysedQueue& queue) {
    return more == 0 ? Rational(1) : Rational(1 + more / queue.shortest);
  };
  Rational largest = 1;
  for (const std::size_t its : queues) {
    members.push_back(&queues_[its]);
    all += scaled(queues_[its].own_sum, factor(queues_[its]));
    largest = std::max(largest, factor(queues_[its]));
  }
  for (const JointLink& link : joint_links(members)) {
    ArrivalCurve sum;
    for (const auto& [queue, part] : link.parts) sum += scaled(part->curve, factor(*queue));
    all += capped(sum, scaled(line(link.whole), largest));
  }
  return all.is_nothing() ? all : all.later(later);
}

std::optional<StepCurve> Analysis::steps_of_flow(std::size_t flow, std::size_t hop, const Rational& end,
                                                 const Rational& later, const Rational& more) const {
  const FlowPath& path = flow_paths_[flow];
  const network::PolicedFlow& its = network_.flows[flow];
  // Not its rounded curve: an instant more would let another packet in.
  ArrivalCurve curve = path.outputs[hop];
  if (path.shifts[hop]) {
    const ArrivalCurve source = ArrivalCurve(its.buckets).later(*path.shifts[hop]);
    curve = curve.is_nothing() ? source : minimum(source, curve);
  }
  return in_whole_packets(curve.later(later), its.shortest, its.longest, end, max_step_pieces, more);
}

std::optional<StepCurve> Analysis::steps_of_flows(const std::vector<std::size_t>& flows, std::size_t queue,
                                                  const Rational& end, const Rational& later,
                                                  const Rational& more) const {
  std::vector<StepTerm> all;
  std::map<std::string, std::pair<std::vector<StepTerm>, std::vector<ClockedPackets>>> clocks;
  std::size_t pieces = 0;
  for (const std::size_t flow : flows) {
    auto steps = steps_of_flow(flow, hop(flow, queue), end, later, more);
    if (!steps || (pieces += steps->pieces().size()) > max_step_pieces) return std::nullopt;
    const auto clocked = clocked_packets(flow, hop(flow, queue));
    if (!clocked) {
      all.push_back({*std::move(steps)});
      continue;
    }
    auto& [terms, packets] = clocks[network_.flows[flow].periodic->clock];
    terms.push_back({*std::move(steps)});
    packets.push_back({clocked->length + more, clocked->period, clocked->first, clocked->spread + later});
  }
  for (const auto& [clock, of_clock] : clocks) {
    StepCurve sum = sum_of(of_clock.first);
    if (of_clock.second.size() > 1)
      if (const auto together = of_one_clock(of_clock.second, end, max_step_pieces))
        sum = minimum(sum, *together, end);
    all.push_back({std::move(sum)});
  }
  return sum_of(all);
}

/// Arrivals of a flow with an offset at a position of its path, in the time of its clock; none without one,
/// or where its minimum transit is unknown.
std::optional<ClockedPackets> Analysis::clocked_packets(std::size_t flow, std::size_t hop) const {
  const network::PolicedFlow& its = network_.flows[flow];
  const FlowPath& path = flow_paths_[flow];
  if (!its.periodic || !its.periodic->offset) return std::nullopt;
  ClockedPackets packets{its.longest, its.periodic->period, *its.periodic->offset, its.periodic->jitter};
  while (hop > 0) {
    const std::size_t before = its.hop_before(hop);
    const network::PolicedPort& port = network_.ports[its.path[before]];
    const AnalysedQueue& queue = queues_[path.queues[before]];
    if (!queue.none.empty() || port.reshaped || network_.ports[its.path[hop]].cut_through)
      return std::nullopt;
    packets.first = packets.first + queue.shortest / port.rate + port.wire;
    packets.spread = packets.spread + queue.variation;
    hop = before;
  }
  return packets;
}

std::optional<StepCurve> Analysis::steps_of(const std::vector<std::size_t>& queues, const Rational& end,
                                            const Rational& later, const Rational& more) const {
  std::vector<StepTerm> all;
  std::vector<const AnalysedQueue*> members;
  Rational largest = 1;
  const auto cap = [&](const StepCurve& steps, const ArrivalCurve& curve, const Rational& factor) {
    return curve.is_nothing() ? steps
                              : minimum(steps, StepCurve(scaled(curve, factor).later(later), end), end);
  };
  const auto factor = [&](const AnalysedQueue& queue) {
    return more == 0 ? Rational(1) : Rational(1 + more / queue.shortest);
  };
  for (const std::size_t its : queues) {
    const AnalysedQueue& queue = queues_[its];
    members.push_back(&queue);
    largest = std::max(largest, factor(queue));
    auto own = steps_of_flows(queue.own, its, end, later, more);
    if (!own) return std::nullopt;
    all.push_back({*std::move(own)});
  }
  for (const JointLink& link : joint_links(members)) {
    std::vector<StepTerm> over_link;
    for (const auto& [queue, part] : link.parts) {
      std::vector<StepTerm> of_queue;
      for (const AnalysedGroup& group : part->groups) {
        auto steps = steps_of_flows(group.flows, queue->index, end, later, more);
        if (!steps) return std::nullopt;
        if (!network_.ports[part->port].reshaped)
          if (const auto output = groups_.find({group.queue, queue->index}); output != groups_.end())
            steps = cap(*steps, output->second.curve, factor(*queue));
        of_queue.push_back({*std::move(steps)});
      }
      over_link.push_back({cap(sum_of(of_queue), line(*part), factor(*queue))});
    }
    all.push_back({link.parts.size() == 1 ? std::move(over_link.front().curve)
                                          : cap(sum_of(over_link), line(link.whole), largest)});
  }
  StepCurve sum = sum_of(all);
  if (sum.pieces().size() > max_step_pieces) return std::nullopt;
  return sum;
}

/// Arrivals at a queue without one flow.
ArrivalCurve Analysis::others(const AnalysedQueue& queue, std::size_t flow) const {
  if (queue.flows.size() == 1) return {};
  const std::size_t k = hop(flow, queue.index);
  const ArrivalCurve& its = flow_paths_[flow].curves[k];
  if (k == 0) return queue.arrivals.without(its);
  const std::size_t before = network_.flows[flow].hop_before(k);
  const auto link = std::find_if(queue.links.begin(), queue.links.end(), [&](const InLink& one) {
    return one.port == network_.flows[flow].path[before];
  });
  ArrivalCurve rest;  // rest of its link
  for (const AnalysedGroup& group : link->groups)
    if (group.queue != flow_paths_[flow].queues[before])
      rest += group.curve;
    else if (group.flows.size() > 1)
      rest += minimum(group.sum.without(its), group.curve);
  ArrivalCurve all = queue.arrivals.without(link->curve);
  if (!rest.is_nothing()) all += minimum(rest, link->curve);
  return all;
}

/// Output of flows that continue over one link, from the residual service; none if the others take all.
std::optional<GroupGuarantee> Analysis::group_output(const AnalysedQueue& queue, std::size_t next,
                                                     const std::vector<std::size_t>& flows) const {
  const std::set<std::size_t> members(flows.begin(), flows.end());
  ArrivalCurve group, rest;
  Rational longest = 0;
  const auto add = [&](std::size_t flow, ArrivalCurve& one, ArrivalCurve& other) {
    const ArrivalCurve& curve = flow_paths_[flow].curves[hop(flow, queue.index)];
    if (members.count(flow) != 0) {
      one += curve;
      longest = std::max(longest, network_.flows[flow].longest);
    } else {
      other += curve;
    }
  };
  for (const std::size_t flow : queue.own) add(flow, group, rest);
  for (const InLink& link : queue.links) {
    ArrivalCurve one, other;
    for (const AnalysedGroup& from : link.groups) {
      ArrivalCurve mine, others;
      for (const std::size_t flow : from.flows) add(flow, mine, others);
      one += capped(mine, from.curve);
      other += capped(others, from.curve);
    }
    group += capped(one, link.curve);
    rest += capped(other, link.curve);
  }
  const auto left = fifo_residual(*queue.service, rest);
  if (!left) return std::nullopt;
  const auto output = departures(group.later(longest / network_.ports[queue.port].rate), *left);
  if (!output) return std::nullopt;
  return GroupGuarantee{queue.index, next, output->rounded_up(denominator_), *left};
}

void Analysis::pass_on(std::size_t flow, std::size_t hop, std::size_t next, const ArrivalCurve& output) {
  const network::PolicedFlow& its = network_.flows[flow];
  FlowPath& path = flow_paths_[flow];
  const AnalysedQueue& queue = queues_[path.queues[hop]];
  if (network_.ports[queue.port].reshaped) return;  // set once
  if (!queue.none.empty()) {
    path.shifts[next].reset();
    path.outputs[next] = path.curves[next] =
        ArrivalCurve({{network_.ports[queue.port].rate, its.longest}}).rounded_up(denominator_);
    return;
  }
  if (path.shifts[hop]) path.shifts[next] = *path.shifts[hop] + queue.variation;
  ArrivalCurve& known = path.outputs[next];
  known = path.outputs[hop].is_nothing() ? ArrivalCurve() : path.outputs[hop].later(queue.variation);
  if (!output.is_nothing()) known = known.is_nothing() ? output : minimum(known, output);
  known = known.rounded_up(denominator_);
  ArrivalCurve curve = known;
  if (path.shifts[next]) {
    curve = ArrivalCurve(its.buckets).later(*path.shifts[next]);
    if (!known.is_nothing()) curve = minimum(curve, known);
  }
  path.curves[next] = curve.rounded_up(denominator_);
}

/// Passes the curves of its flows to their next queues.
void Analysis::send_on(AnalysedQueue& queue, bool residuals) {
  const network::PolicedPort& port = network_.ports[queue.port];
  // What continues in pieces has no output by (5.1), and no residual service in bits that are packets.
  residuals = residuals && queue.none.empty() && !queue.preemptable;
  std::map<std::size_t, std::vector<std::size_t>> groups;
  for (const std::size_t flow : queue.flows) {
    FlowPath& path = flow_paths_[flow];
    const std::size_t k = hop(flow, queue.index);
    if (residuals) path.residuals[k] = fifo_residual(*queue.service, others(queue, flow));
    if (port.reshaped || path.next[k].empty()) continue;
    ArrivalCurve output;
    if (residuals && rules_.residuals && path.residuals[k])
      if (auto its =
              departures(path.curves[k].later(network_.flows[flow].longest / port.rate), *path.residuals[k]))
        output = its->rounded_up(denominator_);
    for (const std::size_t next : path.next[k]) {
      pass_on(flow, k, next, output);
      groups[path.queues[next]].push_back(flow);
    }
  }
  if (!residuals || !rules_.residuals) return;
  for (const auto& [next, flows] : groups)
    if (flows.size() > 1)
      if (auto output = group_output(queue, next, flows))
        groups_.insert_or_assign({queue.index, next}, *std::move(output));
}

}  // namespace tailbound::bounds
