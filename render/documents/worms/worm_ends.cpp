#include <tailbound/core/choice.hpp>
#include <tailbound/render/documents/worms/worm_ends.hpp>

namespace tailbound::render {
const Fields<network::WormEnds>& worm_ends_fields() {
  using network::WormEnds;
  static const Fields<WormEnds> fields{
      {{"injection", "injection", "", Shape::text,
        "one: a channel for all messages that a node sends; ports: one for each of its links, of which a "
        "message takes any; channels: as many virtual channels as a link has; not of a network file, which "
        "says it"},
       &WormEnds::injection},
      {{"ejection", "ejection", "", Shape::text,
        "one: a channel for all messages to a node; unlimited: none, what crosses its last link has arrived; "
        "channels: as many virtual channels as a link has; not of a network file, which says it"},
       &WormEnds::ejection}};
  return fields;
}

std::string in_words(const network::WormEnds& ends) {
  return std::string("injection ") + name_of(ends.injection) + ", ejection " + name_of(ends.ejection);
}

}  // namespace tailbound::render
