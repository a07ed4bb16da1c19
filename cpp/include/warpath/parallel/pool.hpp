// pool.hpp - objects that searches of one graph reuse.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpath {

/// A pool of objects, as many as were ever in use at once.
template <class T>
class Pool {
 public:
  using Make = std::function<std::unique_ptr<T>()>;

  explicit Pool(Make make) : make_(std::move(make)) {}

  /// Calls use(object) with an object that no other thread uses. If it throws, the object is
  /// dropped.
  template <class Use>
  auto with(Use&& use) {
    std::unique_ptr<T> object = take();
    if constexpr (std::is_void_v<decltype(use(*object))>) {
      use(*object);
      give_back(std::move(object));
    } else {
      auto found = use(*object);
      give_back(std::move(object));
      return found;
    }
  }

 private:
  void give_back(std::unique_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(object));
  }

  std::unique_ptr<T> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<T> object = std::move(free_.back());
        free_.pop_back();
        return object;
      }
    }
    return make_();
  }

  const Make make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
};

}  // namespace warpath
