#include <catch2/catch.hpp>
#include <tailbound/answers/points/stored_fields.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/render/documents/buffer/buffer.hpp>
#include <tailbound/render/documents/delay/delay.hpp>
#include <tests/support/rational.hpp>

#include <cmath>
#include <limits>

// tests/golden/stored_test.cpp stores the answers of every command.

namespace {

using namespace tailbound;
using namespace tailbound::answers;
using tailbound::test::rational;

template <class Value>
Value there_and_back(const Value& value) {
  return stored::answer_of<Value>(stored::bytes_of(value));
}

BufferQuery one_queue(const char* load) {
  return {.traffic = {.source = EqualInputs{.inputs = 8, .load = rational(load)}},
          .requested = MinBuffer{rational("1e-9")}};
}

/// The complete output of an answer.
std::string shown(const render::Document& document) {
  const render::Frame frame{.version = "1", .quiet = false};
  return render::to_json(document, frame) + render::to_text(document, frame) +
         render::to_csv(document, frame);
}

}  // namespace

TEST_CASE("stored: numbers are restored to the last bit") {
  for (const char* text : {"0", "-3", "1/3", "-123456789012345678901234567890/7"}) {
    const numeric::Rational value = rational(text);
    CHECK(there_and_back(value) == value);
  }
  numeric::Rational fine = 1;
  for (int i = 0; i < 300; ++i) fine = fine / 982451653;  // 2700 digits
  CHECK(there_and_back(fine) == fine);
  for (const int bits : {2, 53, 64, 113, 1000, 20'000}) {
    const numeric::PrecisionScope scope({bits});
    const auto third = numeric::to_real(rational("-1/3"), numeric::Rounding::down);
    for (numeric::Real value : {third, numeric::Real(0), ldexp(third, 100'000), ldexp(third, -100'000),
                                numeric::Real(std::numeric_limits<double>::infinity())}) {
      const numeric::Real back = there_and_back(value);
      CHECK(back == value);
      CHECK(mpfr_get_prec(back.backend().data()) == mpfr_get_prec(value.backend().data()));
    }
  }
  for (const double value : {0.0, -0.0, 1e-320, 0.1, std::numeric_limits<double>::infinity()}) {
    CHECK(there_and_back(value) == value);
    CHECK(std::signbit(there_and_back(value)) == std::signbit(value));
  }
}

TEST_CASE("stored: texts, lists, choices") {
  using Choice = std::variant<bool, std::string, std::vector<std::optional<std::int64_t>>>;
  for (const Choice& value : {Choice(true), Choice(std::string("a\0b", 3)), Choice(std::string()),
                              Choice(std::vector<std::optional<std::int64_t>>{1, std::nullopt, -5})})
    CHECK(there_and_back(value) == value);
  CHECK_THROWS_AS(stored::answer_of<bool>("\2"), ParseError);
  CHECK_THROWS_AS(stored::answer_of<Choice>("\3"), ParseError);
  CHECK_THROWS_AS(stored::answer_of<std::string>("x"), ParseError);
  CHECK_THROWS_AS(stored::answer_of<bool>(std::string("\1\1")), ParseError);  // more than the value
  // A vector of 2^60 texts without any text.
  CHECK_THROWS_AS(stored::answer_of<std::vector<std::string>>(std::string("\0\0\0\0\0\0\0\x10", 8)),
                  ParseError);
}

/// One field of each type.
struct Mixed {
  bool flag = false;
  std::array<int, 3> array{};
  numeric::Enclosure<unit::Slot> enclosure;  ///< has no default value
  numeric::Rational rational{};
  std::optional<numeric::Real> real{};
  std::variant<int, std::string> choice{};
  std::vector<Packets> list{};

  static constexpr bool no_field = true;
};
struct Nothing {};

TEST_CASE("stored: fields are counted, and keep their order") {
  CHECK(stored::field_count<Nothing>() == 0);
  CHECK(stored::field_count<Mixed>() == 7);
  CHECK(stored::field_count<Packets>() == 1);
  CHECK(stored::field_count<BufferAnswer>() == 15);
  const Mixed mixed{.flag = true,
                    .array = {1, 2, 3},
                    .enclosure = {numeric::Theorem::input, numeric::Real(1), numeric::Real(2)},
                    .rational = rational("1/3"),
                    .real = numeric::Real(4),
                    .choice = "five",
                    .list = {Packets{6}}};
  const Mixed back = there_and_back(mixed);
  CHECK(back.array == mixed.array);
  CHECK(back.rational == mixed.rational);
  CHECK(back.choice == mixed.choice);
  const std::string bytes = stored::bytes_of(mixed);
  CHECK(stored::bytes_of(back) == bytes);
  CHECK(bytes.substr(0, 13) == std::string("\1\1\0\0\0\2\0\0\0\3\0\0\0", 13));
  CHECK(stored::bytes_of(Nothing()).empty());
}

TEST_CASE("stored: an answer looks the same after being stored") {
  const BufferQuery query = one_queue("0.8");
  const BufferAnswer found = answer(query);
  const auto back = from_bytes<BufferAnswer>(to_bytes(found));
  CHECK(to_bytes(back) == to_bytes(found));
  const auto document = [&](const BufferAnswer& one) {
    return render::document(std::vector<std::pair<BufferQuery, BufferAnswer>>{{query, one}}, {});
  };
  CHECK(shown(document(back)) == shown(document(found)));
}

TEST_CASE("stored: damaged bytes are rejected or give another answer, nothing worse") {
  const std::string whole = to_bytes(answer(one_queue("0.8")));
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK_THROWS_AS(from_bytes<BufferAnswer>(whole.substr(0, size)), ParseError);
  CHECK_THROWS_AS(from_bytes<BufferAnswer>(whole + "x"), ParseError);
  std::size_t rejected = 0;
  for (std::size_t place = 0; place < whole.size(); ++place)
    for (const int bit : {0, 3, 7}) {
      std::string damaged = whole;
      damaged[place] = static_cast<char>(damaged[place] ^ (1 << bit));
      try {
        static_cast<void>(to_bytes(from_bytes<BufferAnswer>(damaged)));
      } catch (const ParseError&) {
        ++rejected;
      }
    }
  CHECK(rejected > whole.size());  // of three times as many
}

TEST_CASE("stored: the queues of a delay are those of its traffic") {
  DelayQuery query{.topology = TreeTopology{.tree = {4, 2}, .load = rational("0.6")}};
  query.percentiles = {rational("0.99")};
  query.drop = bounds::DropTarget{rational("1e-6")};
  const DelayAnswer found = answer(query);
  const auto back = from_bytes<DelayAnswer>(to_bytes(found));
  CHECK(to_bytes(back) == to_bytes(found));
  const auto curve = delay_curve(query, found, 0), again = delay_curve(query, back, 0);
  REQUIRE(curve.size() == again.size());
  for (std::size_t i = 0; i < curve.size(); ++i)
    CHECK(stored::bytes_of(curve[i].probability) == stored::bytes_of(again[i].probability));
}
