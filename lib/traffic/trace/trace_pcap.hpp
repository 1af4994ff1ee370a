#pragma once

#include <tailbound/traffic/trace/trace_packet.hpp>

#include <string>
#include <string_view>

/// Traces as pcap and pcapng files, read by libpcap, with nanosecond times.
///
/// TESTS     tests/traffic/trace_test.cpp, tests/fuzz/fuzz_pcap.cpp
namespace tailbound::traffic {

/// Whether the first bytes of a file are of one of these formats.
[[nodiscard]] bool is_pcap(std::string_view head);

/// Reads all packets of the file in order. Sizes are those on the link, not the captured ones.
/// \throws ParseError       the file is corrupt; gives the number of packets read before
/// \throws InvalidArgument  it cannot be opened
void read_pcap(const std::string& path, const TakePacket& take);

}  // namespace tailbound::traffic
