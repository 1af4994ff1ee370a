/// traffic::read_pcap on any bytes: packets within their ranges, or ParseError.
#include <tailbound/core/error.hpp>
#include <tailbound/traffic/trace/trace_pcap.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "text_of.hpp"

using namespace tailbound;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (!traffic::is_pcap(fuzz::text_of(data, size))) return 0;
  const int file = memfd_create("trace", 0);
  fuzz::require(file >= 0 && write(file, data, size) == static_cast<ssize_t>(size));
  try {
    traffic::read_pcap("/proc/self/fd/" + std::to_string(file), [](const traffic::TracePacket& packet) {
      fuzz::require(packet.time >= 0 && packet.bytes > 0);
    });
  } catch (const ParseError& error) {
    fuzz::require(std::string(error.what()).size() < 600);
  }
  close(file);
  return 0;
}
