#pragma once

/// The formats of networks of other programs (imports/imported.hpp), as help and messages name them.
namespace tailbound::network {

inline constexpr const char* foreign_formats =
    "GraphML, GML, DOT, edge list or cable list, networkx JSON, anynet of BookSim, topology of HPCC, "
    "astra-sim, "
    "SimAI or htsim, ibnetdiscover, containerlab";

}  // namespace tailbound::network
