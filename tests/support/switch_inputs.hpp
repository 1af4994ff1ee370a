#pragma once

#include <tailbound/queue/arrivals/markov_arrivals.hpp>

#include <tests/support/rational.hpp>

namespace tailbound::test {

/// On-off sources; each of their bursts comes to the queue with probability `share`.
inline queue::OnOffGroup on_off_sources(std::int64_t count, const char* load, const char* burst,
                                        const char* on_rate, const numeric::Rational& share) {
  return {.source = traffic::on_off(rational(load), {rational(burst), rational(on_rate)}),
          .count = count,
          .share = share};
}

/// The inputs of a switch with as many outputs, with per-burst destinations.
inline queue::OnOffGroup switch_inputs(std::int64_t count, const char* load, const char* burst,
                                       const char* on_rate = "1") {
  return on_off_sources(count, load, burst, on_rate,
                        numeric::Rational(1) / numeric::Rational(static_cast<long>(count)));
}

}  // namespace tailbound::test
