#include <tailbound/core/choice.hpp>
#include <tailbound/render/documents/worms/worm_ends.hpp>

namespace tailbound::render {
const Fields<network::WormEnds>& worm_ends_fields() {
  using network::WormEnds;
  static const Fields<WormEnds> fields{
      {{"injection", "injection", "", Shape::text,
        "injection channels per node; one: a single channel; ports: one per link, a message takes any; "
        "channels: as many virtual channels as a link has; absent for a network file, which defines them"},
       &WormEnds::injection},
      {{"ejection", "ejection", "", Shape::text,
        "ejection channels per node; one: a single channel; unlimited: none needed after the last link; "
        "channels: as many virtual channels as a link has; absent for a network file, which defines them"},
       &WormEnds::ejection}};
  return fields;
}

std::string in_words(const network::WormEnds& ends) {
  return std::string("injection ") + name_of(ends.injection) + ", ejection " + name_of(ends.ejection);
}

}  // namespace tailbound::render
