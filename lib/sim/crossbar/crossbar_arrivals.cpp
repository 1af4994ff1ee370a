#include <tailbound/sim/crossbar/crossbar_arrivals.hpp>

#include <algorithm>
#include <bit>

namespace tailbound::sim {
namespace {

AliasTable table_of(const CrossbarModel& model, std::size_t input) {
  std::vector<double> shares;
  for (const numeric::Rational& share : output_shares_of(model, input))
    shares.push_back(numeric::nearest_double(share));
  return AliasTable(shares);
}

}  // namespace

CrossbarArrivals::CrossbarArrivals(const CrossbarModel& model, RandomKey key)
    : key_(key),
      inputs_(model.inputs()),
      ports_(static_cast<std::size_t>(model.outputs)),
      binary_(model.hot == 0 && model.shares.empty() &&
              std::has_single_bit(static_cast<std::uint64_t>(model.outputs))),
      per_packet_(model.destination == traffic::Destination::per_packet),
      output_bits_(static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(model.outputs - 1)))),
      sources_(inputs_),
      sources_at_start_(inputs_),
      words_((inputs_ + 63) / 64),
      senders_(input_block_slots * words_),
      outputs_(input_block_slots * inputs_) {
  const std::size_t tables = model.shares.empty() ? 1 : inputs_;
  for (std::size_t input = 0; input < tables; ++input) tables_.push_back(table_of(model, input));
  for (std::size_t input = 0; input < inputs_; ++input) {
    if (model.burst) {
      bursts_.emplace_back(traffic::on_off(model.rates[input], *model.burst));
      sources_[input].on = bursts_[input].start(key_, InputPurpose::starts, input);
    } else {
      coins_.emplace_back(model.rates[input]);
    }
  }
  sources_at_start_ = sources_;
}

void CrossbarArrivals::draw_bursts(std::size_t input, std::uint64_t block, InputDraws& draws) {
  Source& source = sources_[input];
  const auto [states, sends] = bursts_[input].slots(key_, InputPurpose::bursts, input, block, source.on);
  const std::uint64_t begins = states & ~((states << 1U) | static_cast<std::uint64_t>(source.sending));
  for (std::uint64_t rest = states; rest != 0; rest &= rest - 1) {
    const auto slot = static_cast<std::size_t>(std::countr_zero(rest));
    const bool sent = ((sends >> slot) & 1U) != 0;
    if (per_packet_ ? sent : ((begins >> slot) & 1U) != 0) source.output = draw_output(input, draws);
    if (sent) send(slot, input, source.output);
  }
  source.sending = (states >> 63U) != 0;
}

void CrossbarArrivals::draw(std::uint64_t block) {
  sources_at_start_ = sources_;
  std::fill(senders_.begin(), senders_.end(), 0);
  for (std::size_t input = 0; input < inputs_; ++input) {
    InputDraws draws(key_, input, block);
    if (!bursts_.empty()) {
      draw_bursts(input, block, draws);
      continue;
    }
    std::uint64_t sends = coins_[input].draw(key_, InputPurpose::coins, input, block);
    for (; sends != 0; sends &= sends - 1)
      send(static_cast<std::size_t>(std::countr_zero(sends)), input, draw_output(input, draws));
  }
}

void CrossbarArrivals::save(ByteWriter& writer, std::uint64_t slot) const {
  for (const Source& source : slot % input_block_slots == 0 ? sources_ : sources_at_start_) {
    writer.put(source.on);
    writer.put(source.sending);
    writer.put(source.output);
  }
}

void CrossbarArrivals::load(ByteReader& reader, std::uint64_t slot) {
  for (Source& source : sources_) {
    source.on = reader.get<bool>();
    source.sending = reader.get<bool>();
    source.output = reader.get<std::uint16_t>();
    if (source.output >= ports_) ByteReader::fail();
  }
  if (slot % input_block_slots != 0) draw(slot / input_block_slots);
}

}  // namespace tailbound::sim
