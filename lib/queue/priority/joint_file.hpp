#pragma once

#include <tailbound/numeric/rational.hpp>
#include <tailbound/series/files/normalise.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Probabilities of the packets of each class in a slot, from text.
///
/// MODEL     one line "n1,n2,..,p" per combination: n1 packets of the class served first, n2 of the next, ..,
///           with probability p. The first line may name the columns; # begins a comment; lines with the same
///           packets are summed.
/// RESULT    every number exactly as written: 0.1 is 1/10.
/// TESTS     tests/queue/priority/joint_file_test.cpp
namespace tailbound::queue {

struct ClassPackets {
  std::vector<std::int64_t> packets;  ///< per class, highest priority first; 0 .. PriorityQueue::max_inputs
  numeric::Rational probability;      ///< above 0
};

struct JointFile {
  std::vector<ClassPackets> packets;  ///< their probabilities sum to 1
  numeric::Rational sum = 1;          ///< of those in the text, which are divided by it
};

/// Every line has the same number of classes, 1 to 8; at most 100 000 lines.
/// \param source  name for messages (the file)
/// \throws ParseError  with line number; a sum that `normalise` does not accept
[[nodiscard]] JointFile parse_joint(std::string_view text, const std::string& source,
                                    series::Normalise normalise = series::Normalise::rounding);

}  // namespace tailbound::queue
