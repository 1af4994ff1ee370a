#include <tailbound/core/choice.hpp>
#include <tailbound/render/documents/worms/worm_ends.hpp>

namespace tailbound::render {
namespace {}  // namespace

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
  return {{"injection", Text{name_of(ends.injection)}}, {"ejection", Text{name_of(ends.ejection)}}};
}

std::string in_words(const network::WormEnds& ends) {
  return std::string("injection ") + name_of(ends.injection) + ", ejection " + name_of(ends.ejection);
}

}  // namespace tailbound::render
