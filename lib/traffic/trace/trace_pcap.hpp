#pragma once

#include <tailbound/traffic/trace/trace_packet.hpp>

#include <optional>
#include <string>
#include <string_view>

/// Traces as pcap and pcapng files, read by libpcap, with nanosecond times.
///
/// MODEL     Sizes are the original lengths, not the captured ones. They have no frame check sequence,
///           preamble and gap: the framing is added. All packets of a file are of one link: libpcap does not
///           name the interfaces of a pcapng file.
/// TESTS     tests/traffic/trace_test.cpp, tests/fuzz/fuzz_pcap.cpp
namespace tailbound::traffic {

/// Whether the first bytes of a file are of one of these formats.
[[nodiscard]] bool is_pcap(std::string_view head);

/// Reads all packets of the file in its order, up to an incomplete last record.
/// \param framing   bytes added to each packet; default: ethernet_framing for Ethernet, otherwise 0
/// \param progress  called from time to time with the fraction of the file that has been read
/// \throws ParseError  it cannot be opened; it is corrupt, with the number of packets read before; a packet
///                     after the first ones has no time
TraceSource read_pcap(const std::string& path, const TakePacket& take,
                      std::optional<std::int64_t> framing = {},
                      const std::function<void(double)>& progress = {});

}  // namespace tailbound::traffic
