/// queue::parse_blocks on any bytes: square matrices of probabilities, which read back the same, or
/// ParseError; MarkovArrivals::blocks on what is small.
#include <tailbound/core/error.hpp>
#include <tailbound/queue/arrivals/blocks_file.hpp>

#include "text_of.hpp"

using namespace tailbound;

namespace {

std::string as_csv(const queue::RationalBlocks& blocks) {
  std::string text;
  for (const auto& matrix : blocks) {
    for (const auto& row : matrix) {
      for (const auto& entry : row) text += numeric::to_fraction(entry) + ',';
      text.back() = '\n';
    }
    text += '\n';
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  queue::RationalBlocks blocks;
  const std::string_view text = fuzz::text_of(data, size);
  try {
    blocks = queue::parse_blocks(text, "fuzz");
  } catch (const ParseError& error) {
    fuzz::require(error.line() >= 1 && error.column() >= 1 && error.line() <= size + 1 &&
                  error.column() <= size + 1);
    fuzz::require(std::string_view(error.what()).size() < 300);
    return 0;
  }
  fuzz::require(!blocks.empty());
  for (const auto& matrix : blocks) {
    fuzz::require(matrix.size() == blocks.front().size());
    for (const auto& row : matrix) {
      fuzz::require(row.size() == matrix.size());
      for (const auto& entry : row) fuzz::require(entry >= 0 && entry <= 1);
    }
  }
  fuzz::require(queue::parse_blocks(as_csv(blocks), "written") == blocks);
  try {
    (void)queue::MarkovArrivals::blocks(std::move(blocks));
  } catch (const InvalidArgument&) {
  }
  return 0;
}
