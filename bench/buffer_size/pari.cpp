#include <bench/buffer_size/queries.hpp>

#include <pari/pari.h>

namespace tailbound::bench {
namespace {

void start_pari() {
  static const bool started = [] {
    pari_init(256U << 20U, 1U << 16U);
    gp_read_str("default(realprecision, 60)");
    return true;
  }();
  benchmark::DoNotOptimize(started);
}

/// Times a GP function of the load and the number of terms that returns the buffer.
void time_closure(benchmark::State& state, const char* text) {
  start_pari();
  const GEN query = gp_read_str(text);
  const GEN load = gp_read_str("0.9");
  long buffer = 0;
  for (auto _ : state) {
    const pari_sp top = avma;
    buffer = gtolong(closure_callgen2(query, load, stoi(terms)));
    avma = top;
  }
  check(state, buffer);
}

/// The literal expansion of Q(z) in 60-digit reals, and the sum of its coefficients until the target.
void pari_series_60_digits(benchmark::State& state) {
  time_closure(
      state,
      "(r, terms) -> {my(A = (1 - r/16 + r/16*'x)^16, Q = (1 - r)*('x - 1)*A/('x - A) + O('x^terms), "
      "t = 1., n = 0);"
      "while((t -= polcoeff(Q, n)) > 1e-15, n++); n}");
}

/// The non-negative recurrence used by tailbound, in GP's vectors of 60-digit reals.
void pari_recurrence_60_digits(benchmark::State& state) {
  time_closure(state,
               "(r, terms) -> {my(p = r/16, a = vector(17, j, binomial(16, j-1)*p^(j-1)*(1-p)^(17-j)), b = "
               "vector(16), c = vector(16),"
               "s = vector(terms), n); b[16] = a[17]; forstep(j = 15, 1, -1, b[j] = b[j+1] + a[j+1]);"
               "forstep(j = 15, 1, -1, c[j] = c[j+1] + b[j+1]); c += (1-r)*b;"
               "for(m = 1, terms, s[m] = (if(m <= 16, c[m]) + sum(j = 2, min(m, 16), b[j]*s[m-j+1]))/a[1]);"
               "n = 1; while(s[n] > 1e-15, n++); n - 1}");
}

BENCHMARK(pari_series_60_digits)->Unit(benchmark::kMicrosecond);
BENCHMARK(pari_recurrence_60_digits)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tailbound::bench
