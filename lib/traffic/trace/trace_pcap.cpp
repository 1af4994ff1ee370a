#include <tailbound/core/error.hpp>
#include <tailbound/traffic/trace/trace_pcap.hpp>

#include <pcap/pcap.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

namespace tailbound::traffic {
namespace {

constexpr std::size_t packets_between_reports = 65'536;

struct ClosePcap {
  void operator()(pcap_t* file) const { pcap_close(file); }
};

}  // namespace

bool is_pcap(std::string_view head) {
  // Micro- and nanoseconds, and Kuznetzov's variant with longer records, in both byte orders; pcapng.
  constexpr std::array<std::uint32_t, 7> magic{0xa1b2c3d4, 0xd4c3b2a1, 0xa1b23c4d, 0x4d3cb2a1,
                                               0xa1b2cd34, 0x34cdb2a1, 0x0a0d0d0a};
  if (head.size() < 4) return false;
  std::uint32_t word = 0;
  std::memcpy(&word, head.data(), 4);
  return std::find(magic.begin(), magic.end(), word) != magic.end();
}

TraceSource read_pcap(const std::string& path, const TakePacket& take, std::optional<std::int64_t> framing,
                      const std::function<void(double)>& progress) {
  std::array<char, PCAP_ERRBUF_SIZE> why{};
  const std::unique_ptr<pcap_t, ClosePcap> file(
      pcap_open_offline_with_tstamp_precision(path.c_str(), PCAP_TSTAMP_PRECISION_NANO, why.data()));
  if (!file) throw ParseError(path, 0, 0, std::string("it cannot be read as pcap: ") + why.data());
  const int type = pcap_datalink(file.get());
  const char* name = pcap_datalink_val_to_name(type);
  TraceSource source{.link_type = name != nullptr ? name : std::to_string(type)};
  source.framing = framing.value_or(source.ethernet() ? ethernet_framing : 0);
  std::error_code none;
  const auto size = static_cast<double>(std::filesystem::file_size(path, none));
  std::size_t packets = 0;
  bool timed = false;
  for (;;) {
    pcap_pkthdr* header = nullptr;
    const unsigned char* data = nullptr;
    const int found = pcap_next_ex(file.get(), &header, &data);
    if (found == PCAP_ERROR_BREAK) break;  // the end
    if (found != 1) {
      const std::string_view error = pcap_geterr(file.get());
      source.cut = packets > 0 && error.starts_with("truncated ");
      if (source.cut) break;
      throw ParseError(
          path, 0, 0,
          "it cannot be read after " + std::to_string(packets) + " packets: " + std::string(error));
    }
    ++packets;
    if (progress && packets % packets_between_reports == 0 && !none && size > 0)
      progress(std::min(1.0, static_cast<double>(std::ftell(pcap_file(file.get()))) / size));
    if (header->len == 0) continue;
    if (header->ts.tv_sec < 0 || header->ts.tv_sec > 4'000'000'000 || header->ts.tv_usec < 0)
      throw ParseError(path, 0, 0, "packet " + std::to_string(packets) + " has no valid time");
    // With this precision tv_usec contains nanoseconds.
    const std::int64_t time = std::int64_t{header->ts.tv_sec} * 1'000'000'000 + header->ts.tv_usec;
    if (time == 0 && timed)
      throw ParseError(path, 0, 0,
                       "packet " + std::to_string(packets) +
                           " has no time, as in the Simple Packet Blocks of pcapng; capture with times");
    timed = timed || time > 0;
    take({.time = numeric::Rational(time),
          .bytes = static_cast<std::int64_t>(header->len) + source.framing,
          .link = 0});
  }
  if (packets == 0) throw ParseError(path, 0, 0, "no packets");
  return source;
}

}  // namespace tailbound::traffic
