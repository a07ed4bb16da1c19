// page_array.hpp - an array on 2 MiB pages, which its users may fill in parallel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "warpath/parallel/os.hpp"

namespace warpath {

/// `size` copies of a value, or uninitialised entries. A long array lies on pages of 2 MiB if the
/// system provides them: a search reads labels at random, and with small pages every other read
/// would miss the TLB.
template <class T>
class PageArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Uninitialised, for threads that will fill their parts.
  explicit PageArray(std::size_t size = 0) : size_(size), bytes_(rounded(size * sizeof(T))) {
    data_ = static_cast<T*>(::operator new(bytes_, alignment(bytes_)));
    if (bytes_ >= kPage) prefer_huge_pages(data_, bytes_);
  }
  PageArray(std::size_t size, T value) : PageArray(size) { std::fill_n(data_, size_, value); }
  ~PageArray() { ::operator delete(data_, alignment(bytes_)); }
  PageArray(PageArray&& other) noexcept
      : size_(std::exchange(other.size_, 0)),
        bytes_(std::exchange(other.bytes_, 0)),
        data_(std::exchange(other.data_, nullptr)) {}
  PageArray& operator=(PageArray&& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(bytes_, other.bytes_);
    std::swap(data_, other.data_);
    return *this;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  static constexpr std::size_t kPage = std::size_t{1} << 21;

  /// A huge page for arrays that fill one; for small arrays such an alignment would waste memory.
  static constexpr std::align_val_t alignment(std::size_t bytes) {
    return std::align_val_t{bytes >= kPage ? kPage : std::max<std::size_t>(alignof(T), 64)};
  }

  static constexpr std::size_t rounded(std::size_t bytes) {
    return bytes < kPage ? std::max<std::size_t>(bytes, 1) : (bytes + kPage - 1) / kPage * kPage;
  }

  std::size_t size_;
  std::size_t bytes_;
  T* data_;
};

}  // namespace warpath
