/// queue::parse_joint on any bytes: probabilities above 0 that sum to 1, or ParseError.
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/queue/priority/joint_file.hpp>

#include <string>

#include "text_of.hpp"

using namespace tailbound;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    numeric::Rational sum = 0;
    const auto read = queue::parse_joint(fuzz::text_of(data, size), "fuzz").packets;
    for (const queue::ClassPackets& each : read) {
      fuzz::require(each.packets.size() == read.front().packets.size() && each.probability > 0);
      for (const std::int64_t packets : each.packets) fuzz::require(packets >= 0 && packets <= 128);
      sum = sum + each.probability;
    }
    fuzz::require(sum == 1);
  } catch (const ParseError& error) {
    fuzz::require(std::string(error.what()).size() < 400);
  }
  return 0;
}
