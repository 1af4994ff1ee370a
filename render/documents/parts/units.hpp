#pragma once

#include <tailbound/answers/units.hpp>
#include <tailbound/render/fields.hpp>
#include <tailbound/render/units.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// --packet-bytes and --link-gbps among the inputs.
namespace tailbound::render {

[[nodiscard]] UnitScale scale_of(const answers::Units& units);
[[nodiscard]] const Fields<answers::Units>& unit_fields();
/// " (5.875 KiB)", of a buffer of packets or cells of so many bytes; empty if that is not known.
[[nodiscard]] std::string size_in_words(Packets buffer, const std::optional<std::int64_t>& bytes);

/// The time of a slot, and that in which a full buffer drains, for points where it is known.
/// \param slot_of    point -> std::optional<numeric::Rational> [ns]
/// \param buffer_of  point -> Packets
template <class Point, class SlotOf, class BufferOf>
[[nodiscard]] Fields<Point> drain_fields(SlotOf slot_of, BufferOf buffer_of, Style style) {
  const auto known = [slot_of](const Point& of) { return slot_of(of).has_value(); };
  return {{{"slot_ns", "slot", "ns", Shape::given, "time of one packet on the link", Style::hidden},
           slot_of,
           known},
          {{"drain_ns", "drain", "ns", Shape::given, "time to drain a full buffer without arrivals", style},
           [slot_of, buffer_of](const Point& of) {
             return numeric::Rational(*slot_of(of) * numeric::Rational(buffer_of(of).value));
           },
           known}};
}

/// --hop-ns among the inputs, and its description.
[[nodiscard]] Column hop_column();
[[nodiscard]] std::string hop_in_words(const numeric::Rational& hop_ns);

/// A time in slots, counted in steps of which so many are a slot: a whole number if that is one.
[[nodiscard]] Value time_in_slots(Slots steps, std::int64_t per_slot);
/// Digits of fractions of a slot in text.
inline constexpr int slots_digits = 6;

/// The columns of `first`, with the additional ones of `more` inserted before those that follow them in
/// `more`.
[[nodiscard]] std::vector<Column> merged(std::vector<Column> first, const std::vector<Column>& more);

/// Concatenates two lists.
template <class Entry>
[[nodiscard]] std::vector<Entry> joined(std::vector<Entry> first, const std::vector<Entry>& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

}  // namespace tailbound::render
