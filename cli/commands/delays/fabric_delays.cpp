#include <cli/commands/delays/fabric_delays.hpp>
#include <cli/options/files.hpp>
#include <cli/options/names.hpp>
#include <cli/options/replies.hpp>
#include <cli/options/traffic_options.hpp>
#include <tailbound/answers/delay/fabric.hpp>
#include <tailbound/answers/points/combinations.hpp>
#include <tailbound/render/documents/delay/fabric.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tailbound::cli {

void read_named(const std::string& path, const std::function<void(std::string_view bytes)>& take) {
  named_files().read_pieces(path, "traffic matrix of the network file", std::size_t{4} << 30, take);
}

std::vector<answers::FabricTopology> read_fabrics(const TopologyOptions& options, bool with_buffers) {
  const NetworkFileOptions& files = options.file;
  if (!files.network || (files.matrix && options.uniform)) return {};
  const answers::NamedText file{files.network.text(), read_file(files.network.text(), "--network")};
  std::optional<answers::NamedText> matrix;
  if (files.matrix) matrix = {files.matrix.text(), read_file(files.matrix.text(), "--matrix")};
  std::vector<answers::FabricTopology> all =
      answers::read_fabrics(file, matrix, files.route.if_given(), read_loads(options), read_named,
                            read_failures(options), with_buffers, options.speed_unit.if_given());
  if (!all.empty()) keep_names(all.front().fabric->network);
  return all;
}

answers::NetworkTopology place_of(const answers::FabricTopology& topology) {
  return {.network = topology.fabric->network,
          .file = topology.file,
          .matrix = topology.matrix,
          .uniform = topology.uniform,
          .load_scale = topology.load_scale,
          .without = topology.without};
}

namespace {

constexpr const char* of_fabrics =
    "a network computed as a whole (more than 100000 pairs send, too many routes to list, or switches with "
    "shared memory)";

}  // namespace

void require_fabric_model(const DelayModelOptions& model) {
  if (model.hops && model.hops.text() != "independent")
    throw model.hops.invalid(std::string("independent for ") + of_fabrics);
}

namespace {

std::vector<answers::FabricQuery> read_queries(const DelayOptions& options) {
  require_fitting(options);
  const std::vector<answers::FabricTopology> topologies =
      read_fabrics(options.topology, options.drop.given());
  if (topologies.empty()) return {};
  reject_with({&options.ccdf, &options.reorder, &options.reorder_levels, &options.flow_rate}, of_fabrics);
  require_fabric_model(options.model);
  answers::FabricQuery plain_query;
  plain_query.percentiles = options.percentiles.value();
  plain_query.digits = {options.digits.value()};
  plain_query.units = read_units(options.units);
  plain_query.hop_ns = options.hop.hop_ns.if_given();
  plain_query.flow = read_flow(options);
  std::vector<answers::FabricQuery> queries = answers::Combinations(plain_query)
                                                  .by(topologies, &answers::FabricQuery::topology)
                                                  .by(read_drops(options), &answers::FabricQuery::drop)
                                                  .points();
  for (answers::FabricQuery& query : queries) {
    query.by = read_by(options, queries.size());
    take_speed(query.units, query.topology.fabric->network);
    if (query.hop_ns) static_cast<void>(required_slot_ns(query.units, "--hop-ns"));
  }
  return queries;
}

}  // namespace

std::vector<answers::ValidateDelayQuery> read_fabric_validations(
    const TopologyOptions& topology, const DelayModelOptions& model,
    const answers::ValidateDelayQuery& requested) {
  std::vector<answers::ValidateDelayQuery> queries;
  for (const answers::FabricTopology& its : read_fabrics(topology)) {
    require_fabric_model(model);
    answers::ValidateDelayQuery& each = queries.emplace_back(requested);
    each.topology = place_of(its);
    each.fabric = {its.fabric, answers::simulated_fabric(*its.fabric)};
    each.hops = answers::Hops::independent;
  }
  return queries;
}

std::optional<Reply> reply_to_fabric(const DelayOptions& options, const Context& context) {
  const std::vector<answers::FabricQuery> queries = read_queries(options);
  if (queries.empty()) return std::nullopt;
  if (context.draws && queries.size() < 2)
    throw needs("--plot", "several loads", "give --uniform or --load-scale a list");
  return show_all(
      queries, context, [](auto points) { return render::document(std::move(points)); },
      [](const answers::FabricQuery& query) { return render::inputs_of(query); });
}

}  // namespace tailbound::cli
