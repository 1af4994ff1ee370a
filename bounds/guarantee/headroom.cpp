#include <tailbound/bounds/guarantee/headroom.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <utility>

namespace tailbound::bounds {
namespace {

using numeric::Rational;

/// Beyond any practical query; all sums fit into 64 bits.
constexpr std::int64_t max_line_bytes = 1'000'000'000'000'000, max_counted_packets = 10'000'000,
                       longest_packet = 1'000'000'000;

void require_above_zero(const Rational& value, const char* argument, const char* unit) {
  require(value > 0, argument, numeric::to_fraction(value), unit);
}
void require_not_negative(const Rational& value, const char* argument) {
  require(value >= 0, argument, numeric::to_fraction(value), "0 or more");
}
void require_bytes(std::int64_t value, std::int64_t minimum, const char* argument, const char* legal) {
  require(value >= minimum && value <= longest_packet, argument, std::to_string(value), legal);
}

void check(const PacketLengths& packets) {
  require_bytes(packets.longest, 1, "longest packet", "from 1 to 10^9 bytes");
  require(packets.shortest >= 1 && packets.shortest <= packets.longest, "shortest packet",
          std::to_string(packets.shortest), "at least 1 byte and at most the longest packet");
}

void check(const PausingLink& link) {
  require_above_zero(link.rate, "rate", "above 0 bit/s");
  if (link.return_rate) require_above_zero(*link.return_rate, "return rate", "above 0 bit/s");
  require_not_negative(link.cable, "cable");
  require_not_negative(link.delay_per_metre, "delay per metre");
  require_not_negative(link.fixed_delay, "fixed delay");
  require_not_negative(link.receiver_latency, "receiver latency");
  require_not_negative(link.sender_latency, "sender latency");
  check(link.packets);
  require_bytes(link.longest_return, 0, "longest packet of the return direction", "from 0 to 10^9 bytes");
  require_bytes(link.pause_frame, 0, "pause frame", "from 0 to 10^9 bytes");
  require_bytes(link.overhead, 0, "overhead", "from 0 to 10^9 bytes");
}

/// [ns]
Rational time_of(const Rational& bytes, const Rational& rate) {
  return bytes * 8 * 1'000'000'000 / rate;
}

/// For one kind of packet: its stored bytes and its overhead on the line.
struct OnLine {
  std::int64_t shortest, longest, overhead;
};
OnLine on_line(const PausingLink& link) {
  if (!link.overhead_stored) return {link.packets.shortest, link.packets.longest, link.overhead};
  return {link.packets.shortest + link.overhead, link.packets.longest + link.overhead, 0};
}

/// From the decision, or the last bit of a packet, until the sender acts, including the propagation in both
/// directions.
std::vector<HeadroomTerm> round_trip_terms(const PausingLink& link) {
  const Rational back_rate = link.return_rate.value_or(link.rate);
  const Rational wire = link.cable * link.delay_per_metre + link.fixed_delay;
  std::vector<HeadroomTerm> terms;
  const auto add = [&](const char* name, const Rational& time) {
    terms.push_back({name, time, time * link.rate / 8 / 1'000'000'000});
  };
  add("receiver latency", link.receiver_latency);
  add("packet before the pause frame",
      link.longest_return == 0 ? Rational(0)
                               : time_of(Rational(link.longest_return + link.overhead), back_rate));
  add("pause frame", time_of(Rational(link.pause_frame + link.overhead), back_rate));
  add("cable to the sender", wire);
  add("sender latency", link.sender_latency);
  add("cable from the sender", wire);
  return terms;
}

Rational sum_of(const std::vector<HeadroomTerm>& terms, Rational HeadroomTerm::*member) {
  Rational sum = 0;
  for (const HeadroomTerm& term : terms) sum = sum + term.*member;
  return sum;
}

void check_line_bytes(const Rational& bytes) {
  if (bytes > Rational(max_line_bytes))
    throw LimitExceeded("the link carries " + std::to_string(numeric::nearest_double(bytes)) +
                        " bytes in a round trip; the limit is 10^15");
}

/// Maximum stored bytes of any `line` consecutive bytes of the line: a piece of L + o stores at most L, as no
/// more than L lies between two overheads.
Rational max_stored(const Rational& line, const OnLine& packet) {
  const Rational piece = Rational(packet.longest + packet.overhead);
  const Rational pieces = numeric::floor(line / piece);
  const Rational rest = line - pieces * piece;
  return pieces * Rational(packet.longest) + std::min(rest, Rational(packet.longest));
}

/// Maximum bytes of whole packets within `line` bytes of the line. With n packets both n L and the bytes left
/// by n overheads are bounds, and one of them is attained; the first increases with n, the second decreases.
std::int64_t max_whole(std::int64_t line, const OnLine& packet) {
  const std::int64_t n = line / (packet.longest + packet.overhead);
  const bool one_more = (n + 1) * (packet.shortest + packet.overhead) <= line;
  return std::max(n * packet.longest, one_more ? line - (n + 1) * packet.overhead : 0);
}

/// Maximum number of cells of packets within `line` bytes of the line; `cut`: plus the rest of another
/// packet, any part of which was carried earlier.
///
/// PROOF     A packet needs k cells if it is (k - 1) c + 1 bytes or longer. Let q = ceil(l_min / c) and Q =
///           ceil(l_max / c). A packet of l_min needs q cells. If q < Q, one cell more costs q c + 1 - l_min
///           bytes, at most c; each of the Q - q - 1 next ones c. The rest of a packet needs a first cell for
///           1 byte, and Q - 1 more for c each. So n packets take n (l_min + o) for n q cells. The remaining
///           bytes add cells one at a time at three costs, and the cheaper ones are available first. Each
///           cell counts one, so taking the cheapest first is optimal. All n are tried.
std::int64_t max_line_cells(std::int64_t line, const OnLine& packet, std::int64_t cell, bool cut) {
  const std::int64_t min_cells = (packet.shortest - 1) / cell + 1;
  const std::int64_t largest_cells = (packet.longest - 1) / cell + 1;
  const std::int64_t one_more = min_cells * cell + 1 - packet.shortest;
  const std::int64_t max_packets = line / (packet.shortest + packet.overhead);
  if (max_packets > max_counted_packets)
    throw LimitExceeded(std::to_string(line) + " bytes are more than 10^7 packets of " +
                        std::to_string(packet.shortest) + " bytes, which is the limit");
  std::int64_t maximum = 0;
  for (std::int64_t n = 0; n <= max_packets; ++n) {
    std::int64_t left = line - n * (packet.shortest + packet.overhead);
    std::int64_t cells = n * min_cells, full_price = 0;
    if (cut && left > 0) {
      ++cells;
      --left;
      full_price = largest_cells - 1;
    }
    if (largest_cells > min_cells) {
      const std::int64_t cheap = std::min(n, left / one_more);
      cells += cheap;
      left -= cheap * one_more;
      full_price += n * (largest_cells - min_cells - 1);
    }
    maximum = std::max(maximum, cells + std::min(full_price, left / cell));
  }
  return maximum;
}

std::int64_t cells_of(std::int64_t bytes, std::int64_t cell) {
  return (bytes - 1) / cell + 1;
}

void check_cell(std::int64_t cell) {
  require_bytes(cell, 1, "cell", "from 1 to 10^9 bytes");
}

std::int64_t to_int(const numeric::Integer& value) {
  return numeric::to_int64(value);
}

/// Line bytes of the round trip.
Rational line_bytes(const PausingLink& link) {
  Rational line = sum_of(round_trip_terms(link), &HeadroomTerm::bytes);
  check_line_bytes(line);
  return line;
}

}  // namespace

Rational pause_quanta(std::int64_t quanta, const Rational& rate) {
  require(quanta >= 0, "pause quanta", std::to_string(quanta), "0 or more");
  require_above_zero(rate, "rate", "above 0 bit/s");
  return Rational(quanta) * 512 * 1'000'000'000 / rate;
}

Headroom headroom(const PausingLink& link) {
  check(link);
  Headroom result;
  result.terms = round_trip_terms(link);
  const Rational line = sum_of(result.terms, &HeadroomTerm::bytes);
  check_line_bytes(line);
  const OnLine packet = on_line(link);
  // Its preamble and gap take time too, but nothing follows it.
  result.terms.push_back(
      {"last packet", time_of(Rational(packet.longest), link.rate), Rational(packet.longest)});
  const Rational stored = max_stored(line, packet);
  if (!link.overhead_stored) result.terms.push_back({"preambles and gaps, not stored", 0, stored - line});
  result.sum = stored + Rational(packet.longest);
  result.bytes = to_int(numeric::ceiling(result.sum));
  return result;
}

std::int64_t headroom_cells(const PausingLink& link, std::int64_t cell) {
  check(link);
  check_cell(cell);
  const OnLine packet = on_line(link);
  // Bytes are whole: the last bits of b successive bytes take more than b - 1 of the line.
  const std::int64_t line = to_int(numeric::ceiling(line_bytes(link)));
  return max_line_cells(line, packet, cell, true) + cells_of(packet.longest, cell);
}

std::int64_t max_cells(std::int64_t bytes, const PacketLengths& packets, std::int64_t cell) {
  require(bytes >= 0 && bytes <= max_line_bytes, "bytes", std::to_string(bytes), "from 0 to 10^15");
  check(packets);
  check_cell(cell);
  return max_line_cells(bytes, {packets.shortest, packets.longest, 0}, cell, false);
}

Credits credits(const PausingLink& link) {
  check(link);
  const OnLine packet = on_line(link);
  const std::int64_t line = to_int(numeric::floor(line_bytes(link)));
  // One packet that ends as the round trip begins, those within it, and the one to be sent.
  return {sum_of(round_trip_terms(link), &HeadroomTerm::time), max_whole(line, packet) + 2 * packet.longest};
}

std::int64_t credit_cells(const PausingLink& link, std::int64_t cell) {
  check(link);
  check_cell(cell);
  const OnLine packet = on_line(link);
  const std::int64_t line = to_int(numeric::floor(line_bytes(link)));
  return max_line_cells(line, packet, cell, false) + 2 * cells_of(packet.longest, cell);
}

}  // namespace tailbound::bounds
