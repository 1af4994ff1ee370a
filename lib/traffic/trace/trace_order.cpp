#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/traffic/trace/trace_order.hpp>

#include <algorithm>
#include <utility>

namespace tailbound::traffic {
using numeric::Rational;

namespace {

constexpr std::int64_t largest_cell = 65'536;

}  // namespace

TraceOrder::TraceOrder(TakePacket take, std::size_t window) : take_(std::move(take)), window_(window) {}

void TraceOrder::pass_first() {
  passing_ = true;
  passed_ = held_.begin()->first;
  take_(held_.begin()->second);
  held_.erase(held_.begin());
}

void TraceOrder::packet(const TracePacket& packet, const std::string& name) {
  ++packets_;
  if (packets_ == 1) latest_ = packet.time;
  if (packet.time < latest_) {
    ++late_;
    max_lateness_ = std::max(max_lateness_, Rational(latest_ - packet.time));
  }
  latest_ = std::max(latest_, packet.time);
  if (passing_ && packet.time < passed_)
    throw ParseError(name, 0, 0,
                     "the time of packet " + std::to_string(packets_) + " is " +
                         numeric::plain(Rational(latest_ - packet.time)) +
                         " ns before that of an earlier packet, and " + std::to_string(window_) +
                         " packets do not suffice to sort them; sort the trace by time first (reordercap, "
                         "mergecap)");
  if (!passing_) ++sizes_[packet.bytes];
  held_.emplace_hint(held_.end(), packet.time, packet);
  if (held_.size() > window_) pass_first();
}

void TraceOrder::finish() {
  while (!held_.empty()) pass_first();
}

std::int64_t TraceOrder::usual_size() const {
  std::int64_t packets = 0, most = 0, usual = 0;
  Rational bytes = 0;
  for (const auto& [size, count] : sizes_) {
    packets += count;
    bytes += Rational(size) * count;
    if (count > most) {
      most = count;
      usual = size;
    }
  }
  if (4 * most >= 3 * packets) return std::min(largest_cell, usual);
  return std::min(largest_cell, -numeric::to_int64(numeric::floor(-bytes / packets)));
}

TraceSpacing::TraceSpacing(Rational gbps, TakePacket take, std::size_t window)
    : gbps_(std::move(gbps)), take_(std::move(take)), window_(window) {}

void TraceSpacing::packet(const TracePacket& packet) {
  if (waiting_ > 0 && packet.time != time_) pass_time();
  if (waiting_ == 0) ++times_;
  time_ = packet.time;
  if (++waiting_ > window_)
    throw NoAnswer("more than " + std::to_string(window_) + " packets have the same time, " +
                   numeric::plain(time_) + " ns: the trace has no times");
  same_[packet.link].push_back(packet);
}

/// The last packet arrives at the time, the others before it.
void TraceSpacing::space(std::vector<TracePacket>& of_link) {
  const std::int64_t link = of_link.front().link;
  largest_ = std::max(largest_, of_link.size());
  of_links_ += of_link.size();
  ++times_of_links_;
  const auto before = previous_.find(link);
  std::int64_t bytes = 0, all = 0;
  for (const TracePacket& packet : of_link) all += packet.bytes;
  Rational ns_per_byte = Rational(8) / gbps_;
  if (before != previous_.end())
    ns_per_byte = std::min(ns_per_byte, Rational((time_ - before->second) / Rational(all)));
  for (std::size_t i = of_link.size() - 1; i-- > 0;) {
    bytes += of_link[i].bytes;
    of_link[i].early = ns_per_byte * bytes;
    ++spaced_;
  }
  previous_.insert_or_assign(link, time_);
}

/// The packets of the present time.
void TraceSpacing::pass_time() {
  for (auto& [link, packets] : same_) {
    if (link >= 0) space(packets);
    for (TracePacket& packet : packets) {
      const Rational at = packet.arrival();
      arranged_.emplace_hint(arranged_.end(), at, std::move(packet));
    }
  }
  same_.clear();
  waiting_ = 0;
  pass(previous_.size() <= 1);
}

/// A packet of another link may still be spaced back before those that are held.
void TraceSpacing::pass(bool all) {
  while (!arranged_.empty() && (all || arranged_.size() > window_)) {
    TracePacket& packet = arranged_.begin()->second;
    if (packet.early != 0 && packet.arrival() < passed_)
      packet.early = std::max(Rational(0), Rational(packet.time - passed_));
    passed_ = packet.arrival();
    take_(packet);
    arranged_.erase(arranged_.begin());
  }
}

void TraceSpacing::finish() {
  pass_time();
  pass(true);
}

double TraceSpacing::packets_per_time() const {
  return times_of_links_ == 0 ? 0 : static_cast<double>(of_links_) / static_cast<double>(times_of_links_);
}

}  // namespace tailbound::traffic
