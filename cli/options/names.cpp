#include <cli/options/files.hpp>
#include <cli/options/names.hpp>
#include <tailbound/answers/guarantee/network_guarantee.hpp>
#include <tailbound/answers/network/topology.hpp>
#include <tailbound/render/drawing/typeset.hpp>

#include <filesystem>
#include <set>
#include <utility>

namespace tailbound::cli {
namespace {

/// Those that typesetting would change, few in most networks.
std::set<std::string> names_kept;

}  // namespace

void keep_name(const std::string& name) {
  if (render::is_changed_by_typesetting(name)) names_kept.insert(name);
}

void keep_names(const network::Network& network) {
  keep_name(network.name);
  for (const network::Node& node : network.nodes) keep_name(node.name);
  for (const network::Flow& flow : network.flows) keep_name(flow.name);
}

void keep_names(const network::PolicedFile& file) {
  keep_name(file.name);
  for (const std::string& name : file.network.classes) keep_name(name);
  for (const network::PolicedPort& port : file.network.ports) keep_name(port.name);
  for (const network::PolicedFlow& flow : file.network.flows) {
    keep_name(flow.name);
    for (const network::PolicedDestination& destination : flow.destinations) keep_name(destination.name);
  }
}

void forget_names() {
  names_kept.clear();
}

Reply with_names(Reply reply) {
  for (const std::string& path : named_files().paths()) {
    keep_name(path);
    keep_name(std::filesystem::path(path).filename().string());
  }
  reply.document.names.assign(names_kept.begin(), names_kept.end());
  return reply;
}

}  // namespace tailbound::cli
