#include <tailbound/sim/batches/latency_bins.hpp>
#include <tailbound/sim/worm/worm_replication.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace tailbound::sim {
namespace {

class Simulated final : public WormReplication {
 public:
  Simulated(const WormModel& model, RandomKey key)
      : network_(model.network),
        bin_shift_(std::countr_zero(latency_bin(model))),
        parts_((check(model), parts_of(model))),
        messages_(model, key),
        engine_(*network_, static_cast<std::uint32_t>(model.buffer_flits), key, model.timing),
        counts_(empty_counts()) {}

  void advance(std::int64_t cycles) override {
    const std::uint64_t end = engine_.now() + static_cast<std::uint64_t>(cycles);
    const std::uint64_t crossed = engine_.crossings();
    counts_[WormRows::cycles][0] += static_cast<std::uint64_t>(cycles);
    while (engine_.now() < end) {
      while (messages_.next().born <= engine_.now()) {
        ++counts_[WormRows::generated][0];
        counts_[WormRows::generated][1] += messages_.next().flits;
        ++counts_[WormRows::offered][engine_.send(messages_.next())];
        messages_.pop();
      }
      if (engine_.idle()) {
        engine_.skip_to(std::min(end, messages_.next().born));
        continue;
      }
      engine_.cycle();
      count_cycle();
    }
    counts_[WormRows::crossings][0] += engine_.crossings() - crossed;
  }
  Counts take_counts() override { return std::exchange(counts_, empty_counts()); }
  void save(ByteWriter& writer) override {
    messages_.save(writer);
    engine_.save(writer);
    for (const auto& row : counts_) writer.put(row);
  }
  void load(ByteReader& reader) override {
    messages_.load(reader);
    engine_.load(reader, parts_.count());
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const std::size_t size = counts_[i].size();
      counts_[i] = reader.get_vector<std::uint64_t>();
      const bool is_histogram =
          i == WormRows::latency || (i >= WormRows::count && (i - WormRows::count) % 2 == 1);
      const bool fits = is_histogram ? counts_[i].size() <= latency_bins : counts_[i].size() == size;
      if (!fits) ByteReader::fail();
    }
  }
  void watch(Observer observer) override { observer_ = std::move(observer); }
  [[nodiscard]] const WormEngine& engine() const override { return engine_; }

 private:
  [[nodiscard]] Counts empty_counts() const {
    Counts counts(WormRows::count, std::vector<std::uint64_t>(1));
    for (const std::size_t row : {WormRows::generated, WormRows::delivered}) counts[row].resize(2);
    counts[WormRows::times].resize(4);
    counts[WormRows::latency].clear();
    for (const std::size_t row : {WormRows::flits, WormRows::occupancy})
      counts[row].resize(network_->layout().channels.size());
    for (const std::size_t row : {WormRows::offered, WormRows::arrived})
      counts[row].resize(network_->layout().stations.size());
    for (std::size_t i = 0; parts_.apart() && i < parts_.count(); ++i) {
      counts.emplace_back(4);
      counts.emplace_back();
    }
    return counts;
  }

  void count_cycle() {
    counts_[WormRows::waiting][0] += engine_.waiting_messages();
    for (const ChannelOccupancy& occupancy : engine_.occupancy()) {
      counts_[WormRows::flits][occupancy.channel] += occupancy.flits;
      counts_[WormRows::occupancy][occupancy.channel] += occupancy.cycles;
    }
    for (const WormDelivery& delivery : engine_.delivered()) {
      const std::uint64_t latency = delivery.ended - delivery.message.born;
      ++counts_[WormRows::delivered][0];
      ++counts_[WormRows::arrived][delivery.injection];
      counts_[WormRows::delivered][1] += delivery.message.flits;
      counts_[WormRows::times][0] += latency;
      counts_[WormRows::times][1] += delivery.started - delivery.message.born;
      counts_[WormRows::times][2] += delivery.released - delivery.started;
      counts_[WormRows::times][3] += delivery.distance;
      count_in_bin(counts_[WormRows::latency], latency >> bin_shift_);
      if (parts_.apart()) count_part(delivery, latency);
      if (messages_.has_answers()) messages_.arrived(delivery);
      if (observer_) observer_(delivery);
    }
  }

  void count_part(const WormDelivery& delivery, std::uint64_t latency) {
    std::vector<std::uint64_t>& part = counts_[WormRows::part(delivery.message.tag)];
    ++part[0];
    part[1] += delivery.message.flits;
    part[2] += latency;
    part[3] += delivery.started - delivery.message.born;
    count_in_bin(counts_[WormRows::part_latency(delivery.message.tag)], latency >> bin_shift_);
  }

  std::shared_ptr<const network::WormNetwork> network_;
  int bin_shift_;
  WormParts parts_;
  WormMessages messages_;
  WormEngine engine_;
  Counts counts_;
  Observer observer_;
};

}  // namespace

std::uint64_t latency_bin(const WormModel& model) {
  std::int64_t flits = 1;
  for (const network::MessageKind& kind : model.kinds) flits = std::max(flits, kind.lengths.largest());
  return bin_of(static_cast<std::uint64_t>(flits));
}

std::unique_ptr<WormReplication> make_worm_replication(const WormModel& model, RandomKey key) {
  return std::make_unique<Simulated>(model, key);
}

}  // namespace tailbound::sim
