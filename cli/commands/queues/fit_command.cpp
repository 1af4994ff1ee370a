#include <cli/commands.hpp>
#include <cli/options/files.hpp>
#include <cli/options/number_options.hpp>
#include <cli/options/replies.hpp>
#include <tailbound/answers/trace/fit_trace.hpp>
#include <tailbound/render/documents/trace/fit_trace.hpp>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

namespace tailbound::cli {
namespace {

/// As typed; empty if not given.
struct FitOptions {
  std::optional<std::string> file, link_gbps, input_gbps, cell_bytes, framing, arrive, inputs, time_unit,
      buffers, save_traffic;
};

/// Piece by piece, so that traces of any length can be read.
void read_packets_of(const std::string& path, traffic::TimeUnit unit, std::optional<std::int64_t> framing,
                     answers::FitQuery& query) {
  const auto fraction = std::make_shared<double>(0);
  query.read_so_far = [fraction] { return *fraction; };
  const std::string head = named_files().head(path, 4);
  for (const std::string_view magic : {"\x1f\x8b", "\xfd\x37zX", "\x28\xb5\x2f\xfd"})
    if (head.compare(0, magic.size(), magic) == 0)
      throw InvalidArgument("FILE", path, "a capture or CSV that is not compressed: decompress it first");
  if (traffic::is_pcap(head)) {
    query.packets = [path, framing, fraction](const traffic::TakePacket& take) {
      return traffic::read_pcap(path, take, framing, [fraction](double done) { *fraction = done; });
    };
    return;
  }
  std::error_code unknown;
  const auto size = static_cast<double>(std::filesystem::file_size(path, unknown));
  const bool known = !unknown && size > 0;
  query.packets = answers::csv_packets(path, unit, framing.value_or(0), [=](const auto& take) {
    double read = 0;
    named_files().read_pieces(path, "FILE", std::numeric_limits<std::size_t>::max(),
                              [&](std::string_view bytes) {
                                read += static_cast<double>(bytes.size());
                                if (known) *fraction = std::min(1.0, read / size);
                                take(bytes);
                              });
  });
}

/// A missing file is reported before missing options.
void require_there(const std::string& path) {
  std::error_code error;
  if (path != "-" && !std::filesystem::exists(path, error)) (void)read_file(path, "FILE");
}

answers::FitQuery read_query(const FitOptions& options) {
  require_there(*options.file);
  const traffic::TimeUnit unit = options.time_unit
                                     ? choice_of<traffic::TimeUnit>(*options.time_unit, "--time-unit")
                                     : traffic::TimeUnit::s;
  answers::FitQuery query{.file = *options.file, .packets = {}, .link_gbps = {}};
  std::optional<std::int64_t> framing;
  if (options.framing)
    framing = parse_whole_quantity(*options.framing, "--framing", numeric::Measure::bytes, 0, 1000);
  read_packets_of(*options.file, unit, framing, query);
  const std::string& link = required(options.link_gbps, "--link-gbps",
                                     "give the rate of the output link in Gbit/s, such as --link-gbps 10");
  query.link_gbps = parse_quantity(link, "--link-gbps", numeric::Measure::gbps);
  if (query.link_gbps <= 0 || query.link_gbps > 1'000'000)
    throw InvalidArgument("--link-gbps", link, "above 0 and at most 1000000 Gbit/s");
  if (options.input_gbps) {
    query.input_gbps = parse_quantity(*options.input_gbps, "--input-gbps", numeric::Measure::gbps);
    if (*query.input_gbps <= 0 || *query.input_gbps > 1'000'000)
      throw InvalidArgument("--input-gbps", *options.input_gbps, "above 0 and at most 1000000 Gbit/s");
  }
  if (options.cell_bytes)
    query.cell_bytes =
        parse_whole_quantity(*options.cell_bytes, "--cell-bytes", numeric::Measure::bytes, 1, 65'536);
  if (options.arrive) query.arrival = choice_of<traffic::TraceArrival>(*options.arrive, "--arrive");
  if (options.inputs) query.inputs = parse_integer(*options.inputs, "--inputs", 1, 64);
  query.buffers = packets_of(
      options.buffers, "--buffer", 1, 1'000'000'000,
      {options.cell_bytes ? std::optional(query.cell_bytes.value()) : std::nullopt, "--cell-bytes"});
  return query;
}

Reply answer(const FitOptions& options, const Context& context) {
  const answers::FitQuery query = read_query(options);
  std::optional<files::PendingFile> file;
  if (options.save_traffic) file.emplace(pending_file(*options.save_traffic, "--save-traffic"));
  answers::FitAnswer found =
      answers::as_piece(analysis_run(context), [&] { return answers::answer(query, analysis_run(context)); });
  std::string saved;
  if (file) saved = answers::traffic_file(query, found);
  Reply reply{.document = render::document(query, std::move(found))};
  if (file) write_with(reply, *file, saved);
  return reply;
}

void declare(OptionTable& table, FitOptions& options) {
  const OptionGroup trace(table, ""), output(table, "Link"), query(table, "Model");
  trace.add("FILE", options.file, "",
            "packet trace: pcap, pcapng or CSV.\nCSV lines are time,bytes[,input] (docs/files.md)");
  table.options.back().required = true;
  trace.add("--time-unit", options.time_unit, "UNIT", "unit of CSV times: s, ms, us or ns (default s)",
            choices<traffic::TimeUnit>());
  trace.add(
      "--framing", options.framing, "BYTES",
      "bytes added to each packet.\nDefault: 24 for Ethernet captures (FCS, preamble, gap), otherwise 0",
      must_be(numeric::integers_in_words(0, 1000)));
  trace.add("--input-gbps", options.input_gbps, "G",
            "rate of the recorded link in Gbit/s.\nSpaces packets of one time; default: as --link-gbps",
            must_be("above 0 and at most 1000000 Gbit/s"));
  trace.add("--inputs", options.inputs, "M",
            "number of input links.\nDefault: those named in the trace, or an estimate from its variance",
            must_be(numeric::integers_in_words(1, 64)));
  output.add("--link-gbps", options.link_gbps, "G", "rate of the output link in Gbit/s",
             must_be("above 0 and at most 1000000 Gbit/s"));
  output.add("--cell-bytes", options.cell_bytes, "C",
             "bytes sent per slot.\nDefault: the size of 3/4 of the packets, or their mean size",
             must_be(numeric::integers_in_words(1, 65536)));
  output.add(
      "--arrive", options.arrive, "NAME",
      "whole or cells (default whole).\nwhole: all cells of a packet arrive in one slot; cells: one per slot",
      choices<traffic::TraceArrival>());
  query.add("--buffer", options.buffers, "LIST",
            "buffers whose loss of the trace is shown.\nIn cells, or with --cell-bytes in bytes: 64KB",
            must_be(numeric::integers_in_words(1, 1'000'000'000)));
  query.add("--save-traffic", options.save_traffic, "FILE",
            "file for the traffic model.\nRead by buffer and occupancy --traffic-file FILE");
}

}  // namespace

Command fit_command() {
  return command_of<FitOptions>({.name = "fit",
                                 .purpose = "traffic model of a packet trace",
                                 .work = Work::analysis,
                                 .draws = true,
                                 .declare = declare,
                                 .answer = answer,
                                 .layout = render::fit_layout,
                                 .example = {{"--link-gbps", "1"}, {"--time-unit", "ns"}}});
}

}  // namespace tailbound::cli
