#include "warpath/floyd_warshall.hpp"

#include <stdexcept>

#include "common.hpp"

namespace warpath::bindings {

namespace {

template <class T>
void register_type(nb::module_& module) {
  module.def(
      "floyd_warshall",
      [](OutMatrix<T> dist, int threads, nb::object progress) {
        if (dist.shape(0) != dist.shape(1))
          throw std::invalid_argument("the matrix must be square");
        if (threads < 1) throw std::invalid_argument("threads must be >= 1");
        Control control(python_tick(std::move(progress)));
        const nb::gil_scoped_release free;
        floyd_warshall<T>(std::span<T>(dist.data(), dist.size()),
                          static_cast<std::int64_t>(dist.shape(0)), threads, control);
      },
      nb::arg("dist").noconvert(), nb::arg("threads") = 1, nb::arg("progress") = nb::none());
}

}  // namespace

void register_floyd_warshall(nb::module_& module) {
  register_type<std::int32_t>(module);
  register_type<std::int64_t>(module);
  register_type<float>(module);
  register_type<double>(module);
}

}  // namespace warpath::bindings
