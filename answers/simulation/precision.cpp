#include <tailbound/answers/simulation/precision.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>

namespace tailbound::answers {
namespace {

constexpr int first = 4, maximum = 256;

}  // namespace

int replications_of(const PrecisionTarget& target, int look) {
  int replications = first;
  for (int i = 1; i < look && replications < target.max_replications; ++i) replications *= 2;
  return std::min(replications, target.max_replications);
}

int max_looks(const PrecisionTarget& target) {
  if (target.half_width <= 0 || target.half_width > 1)
    throw InvalidArgument("--half-width", numeric::plain(target.half_width), "above 0 and at most 100%");
  if (target.max_replications < first || target.max_replications > maximum)
    throw InvalidArgument("--replications", std::to_string(target.max_replications),
                          "from 4 to 256 with --half-width: the limit");
  int looks = 1;
  while (replications_of(target, looks) < target.max_replications) ++looks;
  return looks;
}

}  // namespace tailbound::answers
