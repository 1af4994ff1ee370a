#pragma once

#include <fmt/format.h>
#include <cli/command.hpp>
#include <cli/options/number_options.hpp>
#include <tailbound/answers/guarantee/crossbar_guarantee.hpp>
#include <tailbound/answers/guarantee/headroom.hpp>
#include <tailbound/answers/guarantee/network_guarantee.hpp>
#include <tailbound/answers/guarantee/port_guarantee.hpp>

#include <cstdint>
#include <string>

/// The options of `guarantee` (of a network, of one port, of a link with pause frames, of a crossbar), and
/// the functions that answer them.
namespace tailbound::cli {

struct NetworkGuaranteeOptions {
  OptionTable rows{};
  OptionGroup group{rows, "Network"};
  Text network{group, "--network", "FILE",
               "network file whose flows have token buckets.\nMaximum delay of each flow, maximum backlog of "
               "each port and class"};
  Text flow{group, "--flow", "NAME", "one flow and the ports on its path"};
  Text port{group, "--port", "NAME",
            "port whose curves --plot draws.\nDefault: the port with the maximum delay"};
  One<bounds::GuaranteeMethod> method{group, "--method", "NAME",
                                      one_name<bounds::GuaranteeMethod>().first_by_default(),
                                      "{names} (default {})"};
  Text certificate{group, "--certificate", "FILE",
                   "file for a proof of the bounds, in fractions.\nChecked by share/check_certificate.py"};
};

struct PortGuaranteeOptions {
  static constexpr std::int64_t largest_buffer = 1'000'000'000;

  OptionTable rows{};
  OptionGroup group{rows, "Port (one packet per slot)"};
  Text bucket{
      group, "--bucket", "N x R,B",
      "N flows policed to R packets per slot and B tokens.\nN x R,B,P adds a peak rate: m slots never "
      "bring more than P m packets (P below 1: one packet every 1/P slots). N x R,B,P,PB: a second "
      "bucket of P packets per slot and PB tokens. Several: N x R,B; N x R,B"};
  Text periodic{group, "--periodic", "N x T",
                "N flows, a packet every T slots, random phases.\nN x T,S: S packets at once"};
  Text sporadic{group, "--sporadic", "N x T",
                "N flows, packets at least T slots apart.\nN x T,S: S packets at once"};
  Number drop{group, "--drop", "EPS", as_targets(share()),
              "buffer for all but a share EPS of the time.\nFor independent flows"};
  Number ever{group, "--ever", "EPS", as_targets(share()),
              "buffer for all but a share EPS of the start-ups.\nFor periodic flows: each start-up has "
              "random phases"};
  Integer capacity{
      group, "--capacity", "B",
      integer(1, largest_buffer).needed("--solve needs the buffer size in packets, such as --capacity 64"),
      "buffer in packets; finds how often it is exceeded"};
  One<answers::PortSolve> solve{group, "--solve", "NAME", one_name<answers::PortSolve>().first_by_default(),
                                "{names} (default {}).\nWith --capacity, the maximum number of flows (\"n x "
                                "1/125,4\") or rate (\"100 x r,4\", \"100 x t\")"};
};

/// Times from 0 to 10^9 ns.
[[nodiscard]] inline Accepted<numeric::Rational> nanoseconds() {
  return quantity(numeric::Measure::nanoseconds).from(0, 1'000'000'000, "ns");
}

struct HeadroomOptions {
  static constexpr std::int64_t largest_packet = 1'000'000;

  OptionTable rows{};
  OptionGroup group{rows, "Headroom of a lossless link"};
  Flag headroom{group, "--headroom",
                "headroom in bytes of a lossless (pausing) link.\nThe buffer for packets that arrive after a "
                "pause frame, over --link-gbps LIST and --cable, and the credits that keep the link full"};
  Numbers cable{group, "--cable", "LIST",
                numbers()
                    .from(0, 100'000'000, "m")
                    .needed("--headroom needs the cable length in m, such as --cable 500")
                    .slider(0, 10'000, 10),
                "cable length in m"};
  Number sender_ns{group, "--sender-ns", "T", nanoseconds().slider(0, 5'000, 10),
                   "reaction time of the sender in ns.\nFrom the last bit of a pause frame until "
                   "the sender starts no further packet. Default: the 802.3 limit for the link rate (400 "
                   "Gbit/s: 905 quanta, 1158.4 ns)"};
  Integer pause_quanta{group, "--pause-quanta", "N", integer(0, 1'000'000).slider(0, 1'000, 1),
                       "the same in quanta of 512 bit times"};
  Number receiver_ns{group, "--receiver-ns", "T", nanoseconds().slider(0, 5'000, 10),
                     "reaction time of the receiver in ns.\nFrom the decision until the pause "
                     "frame is ready to be sent (default as the sender)"};
  Integer shortest{group, "--shortest", "N",
                   whole_quantity(numeric::Measure::bytes, 1, largest_packet)
                       .by_default(std::to_string(answers::HeadroomQuery::usual_shortest))
                       .slider(64, 1'518, 1),
                   fmt::format("minimum packet size in bytes (default {{}}).\nThe maximum size "
                               "that is paused is --packet-bytes LIST (default {})",
                               answers::HeadroomQuery::usual_longest)};
  Integer return_bytes{group, "--return-bytes", "N",
                       whole_quantity(numeric::Measure::bytes, 0, largest_packet).slider(0, 9'216, 64),
                       "maximum packet size in the direction of pause frames.\nIn bytes (default "
                       "as --packet-bytes)"};
  Number return_gbps{group, "--return-gbps", "G",
                     rate_in_gbps(quantity(numeric::Measure::gbps)).slider(1, 800, 1),
                     "rate of that direction in Gbit/s.\nDefault as --link-gbps"};
  Number metre_ns{group, "--metre-ns", "T", nanoseconds().by_default("5").slider(4, 6, 0.01),
                  "delay per metre of cable in ns (default {})"};
  Number phy_ns{group, "--phy-ns", "T", nanoseconds().by_default("0").slider(0, 500, 1),
                "other delay per direction in ns (default {}).\nTransceivers and FEC"};
  Integers cell_bytes{group, "--cell-bytes", "LIST",
                      whole_quantities(numeric::Measure::bytes, 1, 1'000'000).slider(32, 512, 16),
                      "memory in cells of this many bytes.\nShows headroom and credits in cells too"};
};

struct CrossbarGuaranteeOptions {
  OptionTable rows{};
  OptionGroup group{rows, "Crossbar (oldest cell first)"};
  Integers crossbar{group, "--crossbar", "K",
                    integers(1, bounds::PolicedCrossbar::max_ports).slider(2, 64, 1),
                    "crossbar of K inputs and K outputs, oldest cell first.\nWorst-case delay, and buffers "
                    "of inputs and outputs, for --row and --column"};
  Integers speedup{group, "--speedup", "S",
                   integers(1, bounds::PolicedCrossbar::max_ports).by_default("2").slider(1, 4, 1),
                   "phases per slot (default {}).\nAbove the sum of the rates of --row and --column"};
  Text row{group, "--row", "R,B",
           "the cells of each input: R cells per slot and B tokens.\nAt most one cell per slot"};
  Text column{group, "--column", "R,B", "the same for the cells to each output, from all inputs"};
};

struct GuaranteeOptions {
  NetworkGuaranteeOptions network;
  PortGuaranteeOptions port;
  HeadroomOptions headroom;
  CrossbarGuaranteeOptions crossbar;
  UnitOptions units;
};

[[nodiscard]] Reply answer_network_guarantee(const GuaranteeOptions& options, const Context& context);
[[nodiscard]] Reply answer_port_guarantee(const GuaranteeOptions& options, const Context& context);
[[nodiscard]] Reply answer_headroom(const GuaranteeOptions& options, const Context& context);
[[nodiscard]] Reply answer_crossbar_guarantee(const GuaranteeOptions& options, const Context& context);

}  // namespace tailbound::cli
