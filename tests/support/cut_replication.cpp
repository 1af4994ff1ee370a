#include <tailbound/sim/bytes.hpp>
#include <tests/support/cut_replication.hpp>

#include <catch2/catch.hpp>
#include <string>

namespace tailbound::test {

void advance_in_parts(sim::Replication& replication, std::int64_t length) {
  for (int i = 0; i < 5; ++i) {
    replication.advance(i < 4 ? 37 : length - 4 * 37);
    sim::ByteWriter writer;
    replication.save(writer);
    const std::string bytes = writer.take();
    sim::ByteReader reader(bytes);
    replication.load(reader);
    CHECK(reader.at_end());
  }
}

void require_equal(const sim::Counts& left, const sim::Counts& right) {
  REQUIRE(left.size() == right.size());
  for (std::size_t row = 0; row < left.size(); ++row) REQUIRE(left[row] == right[row]);
}

}  // namespace tailbound::test
