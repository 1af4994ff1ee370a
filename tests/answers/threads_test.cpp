#include <tailbound/answers/buffer/buffer.hpp>
#include <tailbound/answers/buffer/pgf.hpp>
#include <tailbound/answers/guarantee/port_guarantee.hpp>
#include <tailbound/answers/points/stored.hpp>

#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <tests/support/rational.hpp>
#include <thread>
#include <vector>

// The library called from several threads at a time: rationals, reals of several precisions, formulas.

using namespace tailbound;
using namespace tailbound::answers;
using tailbound::test::rational;

namespace {

std::string buffer(Source source, queue::Arithmetic arithmetic, int digits, const char* drop = "1e-15") {
  const BufferQuery query{.traffic = {.source = std::move(source)},
                          .requested = MinBuffer{.drop = rational(drop)},
                          .accuracy = {.digits = {digits}, .arithmetic = arithmetic}};
  return to_bytes(answer(query));
}

std::string formulas(const std::string& load) {
  const PgfAnswer found =
      answer(PgfQuery{.arrivals = symbolic::Pgf::equal_inputs(16, symbolic::parse_expression(load, "load")),
                      .of = PgfOf::wait});
  return found.definition.expression.text() + "\n" + found.mean.text() + "\n" + found.variance.text();
}

std::vector<std::function<std::string()>> problems() {
  using queue::Arithmetic;
  const EqualInputs equal{.inputs = 16, .load = rational("0.9")};
  return {
      [=] { return buffer(equal, Arithmetic::automatic, 10); },
      [=] { return buffer(equal, Arithmetic::exact, 10); },
      [=] { return buffer(equal, Arithmetic::interval, 30); },
      [=] { return buffer(equal, Arithmetic::automatic, 80); },
      [=] { return buffer(equal, Arithmetic::multiprecision, 200); },
      [] { return buffer(PoissonArrivals{.load = rational("0.8")}, Arithmetic::automatic, 40); },
      [] {
        return buffer(generating_function("(0.8 + 0.2*z)^2 * exp(0.1*(z - 1))", "arrivals"),
                      Arithmetic::automatic, 10);
      },
      [] {
        return buffer(BurstyInputs{.inputs = 4, .load = rational("0.6"), .burst = {.slots = 4}},
                      Arithmetic::automatic, 10, "1e-9");
      },
      [] { return formulas("16*p"); },
      [] { return formulas("rho"); },
      [] {
        const PortGuaranteeAnswer found =
            answer(PortGuaranteeQuery{.flows = {{.kind = queue::FlowKind::regulated,
                                                 .count = 100,
                                                 .buckets = {{rational("1/125"), 4}}}},
                                      .assurance = ShareOfTime{rational("1e-9")}});
        return std::to_string(found.level->buffer) + " " + numeric::to_fraction(found.load);
      },
  };
}

}  // namespace

TEST_CASE("eight threads have the answers of one") {
  const auto all = problems();
  std::vector<std::string> expected;
  for (const auto& problem : all) expected.push_back(problem());
  std::vector<std::vector<std::string>> found(8, std::vector<std::string>(all.size()));
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < found.size(); ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < all.size(); ++i) {
        const std::size_t next = (i + 3 * t) % all.size();
        found[t][next] = all[next]();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& of_thread : found) CHECK(of_thread == expected);
}
