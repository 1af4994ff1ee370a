#pragma once

#include <tailbound/sim/crossbar/scheduling/matching.hpp>
#include <tailbound/sim/crossbar/scheduling/port_bits.hpp>
#include <tailbound/sim/rare/rare_arrivals.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

/// The matchings of one phase (sim/crossbar/crossbar_model.hpp). Internal to the sim module.
namespace tailbound::sim {

/// An input and an output that are matched.
struct PortPair {
  std::size_t input, output;
};

/// \tparam words  64 ports each
template <std::size_t words>
class Schedulers {
 public:
  using Ports = PortBits<words>;

  Schedulers(std::size_t inputs, std::size_t outputs, std::size_t iterations)
      : inputs_(inputs),
        outputs_(outputs),
        iterations_(iterations),
        all_inputs_(Ports::first(inputs)),
        grants_(inputs),
        greedy_(inputs, outputs) {}

  [[nodiscard]] const std::vector<PortPair>& pairs() const { return pairs_; }
  void clear() { pairs_.clear(); }
  void add(std::size_t input, std::size_t output) { pairs_.push_back({input, output}); }
  [[nodiscard]] static std::size_t after(std::size_t port, std::size_t ports) {
    return port + 1 == ports ? 0 : port + 1;
  }

  /// One queue per input; an output that can take `space` cells takes that many heads.
  template <class Space>
  void heads(const std::vector<Ports>& wanted, const Ports& open, RandomStream& random, Space space) {
    open.each([&](std::size_t output) {
      Ports heads = wanted[output];
      for (std::size_t left = space(output); left > 0 && heads.any(); --left) {
        const std::size_t input = pick(heads, random);
        heads.reset(input);
        add(input, output);
      }
    });
  }

  /// iSLIP.  \param wanted  [output]: inputs with a request;  `grant`, `accept`: pointers
  template <class Pointer>
  void round_robin(const std::vector<Ports>& wanted, const Ports& open, Pointer* grant, Pointer* accept) {
    iterate(
        wanted, open,
        [&](const Ports& requests, std::size_t output) {
          return requests.from(static_cast<std::size_t>(grant[output]));
        },
        [&](const Ports& grants, std::size_t input, bool first) {
          const std::size_t output = grants.from(static_cast<std::size_t>(accept[input]));
          // Only matches of the first iteration move the pointers: otherwise a request can wait forever.
          if (first) {
            grant[output] = static_cast<Pointer>(after(input, inputs_));
            accept[input] = static_cast<Pointer>(after(output, outputs_));
          }
          return output;
        });
  }

  /// PIM.
  void at_random(const std::vector<Ports>& wanted, const Ports& open, RandomStream& random) {
    iterate(
        wanted, open, [&](const Ports& requests, std::size_t) { return pick(requests, random); },
        [&](const Ports& grants, std::size_t, bool) { return pick(grants, random); });
  }

  /// Longest queue first.  \param lengths  (input, output) -> cells
  template <class Lengths>
  void longest(const std::vector<Ports>& rows, const Ports& open, RandomStream& random, Lengths lengths) {
    greedy_.clear();
    for (std::size_t input = 0; input < inputs_; ++input)
      (rows[input] & open).each([&](std::size_t output) {
        greedy_.add({static_cast<std::uint32_t>(input), static_cast<std::uint32_t>(output),
                     static_cast<std::uint32_t>(lengths(input, output))});
      });
    greedy_.each(random, [&](const Request& request) { add(request.input, request.output); });
  }

 private:
  static std::size_t pick(const Ports& from, RandomStream& random) {
    const auto count = static_cast<std::uint32_t>(from.count());
    return from.ranked(count == 1 ? 0 : below(count, random.next()));
  }

  /// \param choose  (requests, output) -> input;  \param take  (grants, input, first iteration) -> output
  template <class Choose, class Take>
  void iterate(const std::vector<Ports>& wanted, Ports open, Choose choose, Take take) {
    Ports free = all_inputs_;
    for (std::size_t iteration = 0; iteration < iterations_; ++iteration) {
      Ports granted;
      open.each([&](std::size_t output) {
        const Ports requests = wanted[output] & free;
        if (!requests.any()) return;
        const std::size_t input = choose(requests, output);
        grants_[input].set(output);
        granted.set(input);
      });
      if (!granted.any()) return;
      granted.each([&](std::size_t input) {
        const std::size_t output = take(grants_[input], input, iteration == 0);
        grants_[input] = Ports{};
        free.reset(input);
        open.reset(output);
        add(input, output);
      });
    }
  }

  std::size_t inputs_, outputs_, iterations_;
  Ports all_inputs_;
  std::vector<Ports> grants_;
  std::vector<PortPair> pairs_;
  GreedyMatching greedy_;
};

}  // namespace tailbound::sim
