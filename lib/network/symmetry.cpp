#include <tailbound/network/symmetry.hpp>

#include <algorithm>

namespace tailbound::network {

LabelledGraph::LabelledGraph(std::vector<std::uint64_t> labels, const std::vector<Arc>& arcs)
    : labels_(std::move(labels)), begin_(labels_.size() + 1, 0), neighbours_(arcs.size()) {
  for (const Arc& arc : arcs) ++begin_[arc.from + 1];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (const Arc& arc : arcs) neighbours_[next[arc.from]++] = arc.to;
}

Colouring::Colouring(const LabelledGraph& graph)
    : graph_(&graph),
      vertex_(graph.size()),
      position_(graph.size()),
      cell_(graph.size()),
      length_(graph.size(), 0),
      waiting_(graph.size(), 0),
      sum_(graph.size(), 0),
      touched_(graph.size(), 0) {
  std::iota(vertex_.begin(), vertex_.end(), 0U);
  const auto& labels = graph.labels();
  std::sort(vertex_.begin(), vertex_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return labels[a] != labels[b] ? labels[a] < labels[b] : a < b;
  });
  std::uint32_t start = 0;
  for (std::uint32_t i = 0; i < vertex_.size(); ++i) {
    if (i > 0 && labels[vertex_[i]] != labels[vertex_[i - 1]]) start = i;
    if (start == i) {
      queue_.push_back(i);
      waiting_[i] = 1;
      ++cells_;
    }
    position_[vertex_[i]] = i;
    cell_[vertex_[i]] = start;
    ++length_[start];
  }
  refine();
}

void Colouring::single_out(std::uint32_t vertex) {
  const std::uint32_t cell = cell_[vertex], length = length_[cell];
  swap_to(vertex, cell + length - 1);
  const std::uint32_t last = cell + length - 1;
  cell_[vertex] = last;
  length_[last] = 1;
  --length_[cell];
  ++cells_;
  trace_ = mixed(trace_, cell);
  enqueue(last);
  refine();
}

void Colouring::swap_to(std::uint32_t vertex, std::uint32_t to) {
  const std::uint32_t from = position_[vertex], other = vertex_[to];
  vertex_[from] = other;
  position_[other] = from;
  vertex_[to] = vertex;
  position_[vertex] = to;
}

void Colouring::enqueue(std::uint32_t cell) {
  if (waiting_[cell] != 0) return;
  waiting_[cell] = 1;
  queue_.push_back(cell);
}

void Colouring::refine() {
  for (std::size_t next = 0; next < queue_.size() && !discrete(); ++next) {
    const std::uint32_t splitter = queue_[next];
    waiting_[splitter] = 0;
    split_by(splitter);
  }
  for (const std::uint32_t cell : queue_) waiting_[cell] = 0;
  queue_.clear();
}

void Colouring::split_by(std::uint32_t splitter) {
  met_.clear();
  for (std::uint32_t i = splitter; i < splitter + length_[splitter]; ++i)
    for (const LabelledGraph::Neighbour& neighbour : graph_->of(vertex_[i])) {
      if (touched_[neighbour.vertex] == 0) {
        touched_[neighbour.vertex] = 1;
        met_.push_back(neighbour.vertex);
      }
      sum_[neighbour.vertex] += neighbour.relation;
    }
  // Single vertices are not split further; their neighbour sums remain part of the trace.
  std::uint64_t lone = 0;
  std::erase_if(met_, [&](std::uint32_t vertex) {
    if (length_[cell_[vertex]] > 1) return false;
    lone += mixed(cell_[vertex], sum_[vertex]);
    touched_[vertex] = 0;
    sum_[vertex] = 0;
    return true;
  });
  trace_ = mixed(trace_, lone);
  std::sort(met_.begin(), met_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return cell_[a] != cell_[b] ? cell_[a] < cell_[b] : sum_[a] < sum_[b];
  });
  for (std::size_t first = 0; first < met_.size();) {
    std::size_t end = first;
    const std::uint32_t cell = cell_[met_[first]];
    while (end < met_.size() && cell_[met_[end]] == cell) ++end;
    split_cell(cell, first, end);
    first = end;
  }
  for (const std::uint32_t vertex : met_) {
    touched_[vertex] = 0;
    sum_[vertex] = 0;
  }
}

/// Vertices of met_[first .. end) with the same sum become cells after the rest of theirs.
void Colouring::split_cell(std::uint32_t cell, std::size_t first, std::size_t end) {
  const std::uint32_t length = length_[cell];
  const auto met = static_cast<std::uint32_t>(end - first);
  trace_ = mixed(mixed(trace_, cell), met);
  trace_ = mixed(trace_, sum_[met_[first]]);
  if (met == length && sum_[met_[first]] == sum_[met_[end - 1]]) return;
  for (std::size_t i = end; i-- > first;)
    swap_to(met_[i], cell + length - static_cast<std::uint32_t>(end - i));
  fragments_.clear();
  if (met < length) fragments_.push_back(cell);
  for (std::size_t i = first; i < end; ++i)
    if (i == first || sum_[met_[i]] != sum_[met_[i - 1]]) {
      fragments_.push_back(cell + length - static_cast<std::uint32_t>(end - i));
      trace_ = mixed(mixed(trace_, fragments_.back()), sum_[met_[i]]);
    }
  if (fragments_.size() == 1) return;
  const bool was_waiting = waiting_[cell] != 0;
  std::uint32_t longest = fragments_.front();
  for (std::size_t f = 0; f < fragments_.size(); ++f) {
    const std::uint32_t start = fragments_[f];
    const std::uint32_t stop = f + 1 < fragments_.size() ? fragments_[f + 1] : cell + length;
    length_[start] = stop - start;
    for (std::uint32_t i = start; i < stop; ++i) cell_[vertex_[i]] = start;
    if (length_[start] > length_[longest]) longest = start;
  }
  cells_ += fragments_.size() - 1;
  for (const std::uint32_t start : fragments_)
    if (was_waiting || start != longest) enqueue(start);
}

ImageSearch::ImageSearch(const LabelledGraph& graph, std::size_t wanted, std::size_t tries)
    : wanted_(wanted), tries_(tries), start_(graph) {}

ImageSearch::Path ImageSearch::path_from(Colouring colouring) const {
  Path path;
  const std::size_t size = colouring.size();
  for (std::uint32_t from = 0; from < size;) {
    const std::uint32_t vertex = colouring.at(from), cell = colouring.cell_of(vertex);
    if (vertex >= wanted_ || colouring.length(cell) == 1) {
      ++from;
      continue;
    }
    colouring.single_out(vertex);
    path.steps.push_back({cell, colouring.trace()});
  }
  path.end.resize(wanted_);
  for (std::uint32_t i = 0; i < size; ++i)
    if (colouring.at(i) < wanted_) path.end[colouring.at(i)] = i;
  return path;
}

std::vector<std::uint32_t> ImageSearch::image_at(const Path& path, const Colouring& end) const {
  std::vector<std::uint32_t> image(wanted_);
  for (std::size_t i = 0; i < wanted_; ++i) image[i] = end.at(path.end[i]);
  return image;
}

bool ImageSearch::take_try() {
  if (tries_ != unlimited && tries_ > 0) --tries_;
  return tries_ > 0;
}

std::optional<std::vector<std::uint32_t>> ImageSearch::random_image() {
  if (!path_) path_ = path_from(start_);
  Colouring colouring = start_;
  for (const Step& step : path_->steps) {
    const std::uint32_t length = colouring.length(step.cell);
    std::optional<Colouring> before;
    for (int tries = 0;; ++tries) {
      const std::uint32_t vertex = colouring.at(step.cell + static_cast<std::uint32_t>(random_() % length));
      if (tries == 0 && rigid_ && take_try()) before = colouring;
      colouring.single_out(vertex);
      if (colouring.trace() == step.trace) break;
      if (!before || tries == max_tries) {
        // From here on backtracking states are kept, at the cost of a copy per step.
        rigid_ = true;
        return std::nullopt;
      }
      colouring = *before;
    }
  }
  return image_at(*path_, colouring);
}

}  // namespace tailbound::network
