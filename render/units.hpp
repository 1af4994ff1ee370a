#pragma once

#include <tailbound/render/document.hpp>

#include <optional>

/// Additional columns in bytes and nanoseconds for every column in packets and slots.
namespace tailbound::render {

/// The document with a column in bytes and one in KiB after each in packets, and one in ns after each in
/// slots. Keys: "buffer" -> "buffer_bytes", "buffer_kib"; "latency_slots" -> "latency_ns". A key that the
/// document already has is not added.
[[nodiscard]] Document with_units(Document document, const UnitScale& scale);

/// The layout with all these columns.
[[nodiscard]] Layout with_units(Layout layout, const UnitScale& scale);

/// "mean_occupancy_bytes" for "mean_occupancy", "latency_ns" for "latency_slots"; by the column's stem if it
/// has one.
[[nodiscard]] std::string key_in(const Column& column, const std::string& unit);

/// Axes in packets as axes in KiB, axes in slots as axes in ns.
[[nodiscard]] Picture with_units(Picture picture, const UnitScale& scale);

/// Text: "10048 bytes (9.8125 KiB)", "803.84 ns"; empty without that unit.
[[nodiscard]] std::string bytes_in_words(const Value& packets, const UnitScale& scale);
[[nodiscard]] std::string ns_in_words(const Value& slots, const UnitScale& scale);

}  // namespace tailbound::render
