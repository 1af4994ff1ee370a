// Sizes the buffer of one output of a 16-port switch: prints the minimum number of packets with a proved drop
// probability of at most 1e-15 at load 9/10.

#include <tailbound/bounds/sizing/buffer_size.hpp>
#include <tailbound/core/error.hpp>

#include <iostream>

int main() try {
  using tailbound::numeric::parse_rational;
  const tailbound::queue::SlottedQueue output{
      .arrivals = tailbound::series::Arrivals::equal_inputs(16, parse_rational("9/10", "load"))};
  const auto size =
      tailbound::bounds::buffer_size(output, {.probability = parse_rational("1e-15", "target")});
  std::cout << size.buffer.value << '\n';
  return 0;
} catch (const tailbound::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
