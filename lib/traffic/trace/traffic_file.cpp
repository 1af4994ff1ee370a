#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/traffic/trace/traffic_file.hpp>

#include <nlohmann/json.hpp>

#include <numeric>

namespace tailbound::traffic {
namespace {

using numeric::Rational;

constexpr std::int64_t max_sources_read = 1'048'576;
constexpr std::size_t max_counts = 65'537;
constexpr const char* how = "tailbound fit TRACE --save-traffic FILE writes one";

TrafficFile::Sources sources_of(const nlohmann::json& given) {
  const auto number = [&](const char* key) {
    // A JSON number would be read as a double; these are rationals.
    if (!given.at(key).is_string())
      throw InvalidArgument(key, given.at(key).dump().substr(0, 40),
                            "in quotes, such as \"1/8\" or \"0.125\"");
    return numeric::parse_rational(given.at(key).get<std::string>(), key);
  };
  const auto count = given.at("count").get<std::int64_t>();
  if (count < 1 || count > max_sources_read)
    throw InvalidArgument("count", std::to_string(count), "1 to " + std::to_string(max_sources_read));
  return {count, on_off(number("load"), {number("burst"), number("on_rate")})};
}

}  // namespace

std::string to_json(const TrafficFile& file) {
  nlohmann::ordered_json json;
  json["traffic"] = file.sources ? "on-off sources" : "independent slots";
  json["trace"] = file.trace;
  json["slot_ns"] = file.slot_ns;
  json["cell_bytes"] = file.cell_bytes;
  json["trusted"] = file.trusted;
  if (file.sources) {
    const OnOff& source = file.sources->source;
    json["sources"] = {{"count", file.sources->count},
                       {"load", numeric::to_fraction(source.load)},
                       {"on_rate", numeric::to_fraction(source.on_rate)},
                       {"burst", numeric::to_fraction(Rational(1 / source.stop))}};
  } else {
    json["slots"] = file.slots;
    json["slots_with_so_many_cells"] = file.counts;
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::int64_t sum_of(const std::vector<std::uint64_t>& counts) {
  return static_cast<std::int64_t>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
}

TrafficFile parse_traffic_file(std::string_view text, const std::string& name) {
  const auto fail = [&](const std::string& what) { throw ParseError(name, 0, 0, what); };
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("trusted")) fail(std::string("not a traffic file; ") + how);
  TrafficFile file;
  try {
    file.trusted = json.at("trusted").get<bool>();
    file.trace = json.value("trace", "");
    file.slot_ns = json.value("slot_ns", 0.0);
    file.cell_bytes = json.value("cell_bytes", std::int64_t{64});
    if (json.contains("sources")) {
      file.sources = sources_of(json.at("sources"));
      return file;
    }
    file.slots = json.at("slots").get<std::int64_t>();
    file.counts = json.at("slots_with_so_many_cells").get<std::vector<std::uint64_t>>();
  } catch (const nlohmann::json::exception& error) {
    fail(std::string("invalid: ") + error.what() + "; " + how);
  } catch (const Error& error) {
    fail(error.what());
  }
  if (file.slots < 1 || file.counts.empty() || file.counts.size() > max_counts)
    fail("it must have at least one slot, and the slots with 0, 1, .. cells, at most 65537 of them");
  std::uint64_t sum = 0;
  for (const std::uint64_t count : file.counts) {
    if (count > static_cast<std::uint64_t>(std::int64_t{1} << 62) - sum) fail("more slots than 2^62");
    sum += count;
  }
  if (sum == 0) fail("its counts are all 0");
  return file;
}

}  // namespace tailbound::traffic
