#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace tailbound::sim {

/// Elements in their order of arrival, in a ring that grows.
template <class T>
class Fifo {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return elements_[(first_ + i) & mask()]; }
  [[nodiscard]] const T& front() const { return elements_[first_]; }
  void push(const T& element) {
    if (size_ == elements_.size()) grow();
    elements_[(first_ + size_++) & mask()] = element;
  }
  [[nodiscard]] T pop() {
    const T element = elements_[first_];
    first_ = (first_ + 1) & mask();
    --size_;
    return element;
  }
  void clear() { first_ = size_ = 0; }

 private:
  [[nodiscard]] std::size_t mask() const { return elements_.size() - 1; }
  void grow() {
    std::vector<T> larger(2 * elements_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = (*this)[i];
    elements_ = std::move(larger);
    first_ = 0;
  }

  std::vector<T> elements_ = std::vector<T>(8);  ///< a power of two
  std::size_t first_ = 0, size_ = 0;
};

}  // namespace tailbound::sim
