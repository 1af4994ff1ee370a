#include <tailbound/core/error.hpp>
#include <tailbound/traffic/trace/trace_pcap.hpp>

#include <pcap/pcap.h>

#include <array>
#include <cstring>
#include <memory>

namespace tailbound::traffic {
namespace {

struct ClosePcap {
  void operator()(pcap_t* file) const { pcap_close(file); }
};

}  // namespace

bool is_pcap(std::string_view head) {
  constexpr std::array<std::uint32_t, 5> magic{0xa1b2c3d4, 0xd4c3b2a1, 0xa1b23c4d, 0x4d3cb2a1, 0x0a0d0d0a};
  if (head.size() < 4) return false;
  std::uint32_t word = 0;
  std::memcpy(&word, head.data(), 4);
  for (const std::uint32_t each : magic)
    if (word == each) return true;
  return false;
}

void read_pcap(const std::string& path, const TakePacket& take) {
  std::array<char, PCAP_ERRBUF_SIZE> why{};
  const std::unique_ptr<pcap_t, ClosePcap> file(
      pcap_open_offline_with_tstamp_precision(path.c_str(), PCAP_TSTAMP_PRECISION_NANO, why.data()));
  if (!file) throw ParseError(path, 0, 0, std::string("it cannot be read as pcap: ") + why.data());
  std::size_t packets = 0;
  for (;;) {
    pcap_pkthdr* header = nullptr;
    const unsigned char* data = nullptr;
    const int found = pcap_next_ex(file.get(), &header, &data);
    if (found == PCAP_ERROR_BREAK) break;  // the end
    if (found != 1)
      throw ParseError(path, 0, 0,
                       "corrupt after " + std::to_string(packets) + " packets: " + pcap_geterr(file.get()));
    ++packets;
    if (header->len == 0) continue;
    if (header->ts.tv_sec < 0 || header->ts.tv_sec > 4'000'000'000 || header->ts.tv_usec < 0)
      throw ParseError(path, 0, 0, "packet " + std::to_string(packets) + " has no valid time");
    // With this precision tv_usec contains nanoseconds.
    take({.time = numeric::Rational(std::int64_t{header->ts.tv_sec} * 1'000'000'000 + header->ts.tv_usec),
          .bytes = static_cast<std::int64_t>(header->len)});
  }
  if (packets == 0) throw ParseError(path, 0, 0, "no packets");
}

}  // namespace tailbound::traffic
