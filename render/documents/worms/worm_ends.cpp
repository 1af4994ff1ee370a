#include <tailbound/render/documents/worms/worm_ends.hpp>

namespace tailbound::render {
namespace {

const std::string& name(network::Injection injection) {
  return injection_names()[static_cast<std::size_t>(injection)];
}

const std::string& name(network::Ejection ejection) {
  return ejection_names()[static_cast<std::size_t>(ejection)];
}

}  // namespace

const std::vector<std::string>& injection_names() {
  static const std::vector<std::string> names{"one", "ports"};
  return names;
}

const std::vector<std::string>& ejection_names() {
  static const std::vector<std::string> names{"one", "unlimited"};
  return names;
}

std::vector<Column> worm_ends_columns() {
  return {
      {"injection", "injection", "", Shape::text,
       "one: a channel for all messages that a node sends; ports: one for each of its links, of which a "
       "message takes any; not of a network file, which says it"},
      {"ejection", "ejection", "", Shape::text,
       "one: a channel for all messages to a node; unlimited: none, what crosses its last link has arrived; "
       "not of a network file, which says it"}};
}

Cells worm_ends_cells(const network::WormEnds& ends) {
  return {{"injection", Text{name(ends.injection)}}, {"ejection", Text{name(ends.ejection)}}};
}

std::string in_words(const network::WormEnds& ends) {
  return "injection " + name(ends.injection) + ", ejection " + name(ends.ejection);
}

}  // namespace tailbound::render
