/// network::failures_of on any bytes after a line "%%%", applied by remove_failed to the network before it,
/// as with --without: remaining links keep their order, a failed node has none, and one failure at a time
/// gives the same as all together; or a typed error.
#include <tailbound/core/error.hpp>
#include <tailbound/network/demands/failures.hpp>
#include <tailbound/network/files/network_file.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "text_of.hpp"

using namespace tailbound;

namespace {

bool same(const network::Link& a, const network::Link& b) {
  return a.from == b.from && a.to == b.to && a.rate == b.rate && a.weight == b.weight;
}

void check(const network::Network& whole, const std::vector<std::string>& failed) {
  network::Network together = whole, apart = whole;
  network::remove_failed(together, failed);
  for (const std::string& entry : failed) network::remove_failed(apart, std::vector<std::string>{entry});
  fuzz::require(
      std::equal(together.links.begin(), together.links.end(), apart.links.begin(), apart.links.end(), same));
  auto at = whole.links.begin();
  for (const network::Link& link : together.links) {
    at = std::find_if(at, whole.links.end(), [&](const network::Link& its) { return same(its, link); });
    fuzz::require(at != whole.links.end());
    ++at;
  }
  const std::vector<bool> linked = network::linked_nodes(together);
  for (std::size_t node = 0; node < whole.nodes.size(); ++node)
    if (std::find(failed.begin(), failed.end(), whole.nodes[node].name) != failed.end())
      fuzz::require(!linked[node]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all = fuzz::text_of(data, size);
  if (fuzz::names_many(all)) return 0;
  const std::size_t separator = all.find("%%%\n");
  if (separator == std::string_view::npos) return 0;
  try {
    const std::vector<std::string> failed = network::failures_of(all.substr(separator + 4));
    for (const std::string& entry : failed)
      fuzz::require(!entry.empty() && entry.front() != ' ' && entry.back() != ' ' &&
                    entry.find(',') == std::string::npos);
    if (failed.size() > 100) return 0;  // longer lists take too long per round
    check(
        network::read_fabric(all.substr(0, separator), "fuzz", network::FlowsFrom::elsewhere).fabric.network,
        failed);
  } catch (const ParseError& error) {
    fuzz::require(error.line() >= 1 && error.column() >= 1 && error.line() <= size + 1);
  } catch (const InvalidArgument& error) {
    fuzz::require(error.argument() == "without");
  } catch (const LimitExceeded&) {
  }
  return 0;
}
