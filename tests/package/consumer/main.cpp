// Sizes the buffer of one output of a 16-port switch at load 9/10, and prints the proof.
#include <tailbound/documents.hpp>
#include <tailbound/tailbound.hpp>

#include <iostream>

int main() {
  using namespace tailbound;
  const answers::BufferQuery query{.traffic = {answers::EqualInputs{16, numeric::Rational(9) / 10}},
                                   .requested = answers::MinBuffer{numeric::parse_rational("1e-15", "drop")}};
  const std::vector<render::BufferPoint> points{{query, answers::answer(query)}};
  std::cout << render::to_text(render::document(points), {.version = TAILBOUND_VERSION});
}
