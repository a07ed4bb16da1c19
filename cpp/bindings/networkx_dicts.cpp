// networkx_dicts.cpp - results as Python dictionaries and lists of node objects, for NetworkX.
//
// These loops cost the creation and reference counting of objects: 40 to 80 ns per entry of a
// dictionary, a nanosecond per entry of a list. Python's API is used as in the stable ABI, with the
// GIL held; it is released only during a search or while waiting for one.

#include <algorithm>
#include <atomic>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "graph_rows.hpp"
#include "warpath/parallel/team.hpp"
#include "warpath/paths/visit_order.hpp"

namespace warpath::bindings {

namespace {

/// Pauses Python's garbage collector, which would traverse all objects again and again.
class GcPause {
 public:
  GcPause() : enabled_(PyGC_Disable() != 0) {}
  ~GcPause() {
    if (enabled_) PyGC_Enable();
  }
  GcPause(const GcPause&) = delete;
  GcPause& operator=(const GcPause&) = delete;

 private:
  bool enabled_;
};

/// Handles Ctrl-C every so many steps.
class SignalPoller {
 public:
  void step(std::size_t steps) {
    left_ -= static_cast<std::int64_t>(steps);
    if (left_ > 0) return;
    left_ = kEvery;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }

 private:
  static constexpr std::int64_t kEvery = 1 << 16;
  std::int64_t left_ = kEvery;
};

/// The node objects of some vertices, read from a NumPy array of objects.
class Names {
 public:
  /// For vertices below n, which are set later.
  Names(const nb::object& array, std::size_t n) {
    if (PyObject_GetBuffer(array.ptr(), &buffer_, PyBUF_FORMAT) != 0) throw nb::python_error();
    const bool objects = buffer_.format != nullptr && std::string(buffer_.format) == "O";
    if (objects && n <= count()) return;
    PyBuffer_Release(&buffer_);
    throw std::invalid_argument(objects ? "there are fewer names than vertices"
                                        : "names are an array of objects");
  }
  Names(const nb::object& array, std::span<const std::int64_t> vertices) : Names(array, 0) {
    const bool known = std::all_of(vertices.begin(), vertices.end(), [&](std::int64_t v) {
      return v >= 0 && static_cast<std::size_t>(v) < count();
    });
    if (!known) throw std::invalid_argument("there are fewer names than vertices");
    of(vertices);
  }
  ~Names() { PyBuffer_Release(&buffer_); }
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;

  void of(std::span<const std::int64_t> vertices) { vertices_ = vertices; }
  std::size_t size() const { return vertices_.size(); }

  /// The object of the i-th vertex. The entries and the objects are scattered in memory, so those
  /// needed soon are prefetched.
  PyObject* operator[](std::size_t i) const {
    if (i + 2 * kAhead < vertices_.size())
      __builtin_prefetch(objects() + vertices_[i + 2 * kAhead]);
    if (i + kAhead < vertices_.size()) __builtin_prefetch(at(i + kAhead), 1);
    return at(i);
  }

  static constexpr std::size_t kAhead = 16;

 private:
  std::size_t count() const { return static_cast<std::size_t>(buffer_.len) / sizeof(PyObject*); }
  PyObject* const* objects() const { return static_cast<PyObject* const*>(buffer_.buf); }
  PyObject* at(std::size_t i) const { return objects()[vertices_[i]]; }

  std::span<const std::int64_t> vertices_;
  Py_buffer buffer_;
};

nb::object checked(PyObject* made) {
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
}

/// Whether the garbage collector tracks an object, as it may be part of a reference cycle. Strings,
/// numbers, and tuples of them that the collector has seen are not tracked.
bool is_tracked(PyObject* object) { return PyObject_GC_IsTracked(object) != 0; }

/// Untracks a list that cannot be part of a cycle, as Python itself does with tuples: traversing
/// 125,000 lists takes as long as creating them. Objects appended to such a list later are not seen
/// either: a cycle that a caller closes through it is never freed.
void untrack(const nb::object& list) { PyObject_GC_UnTrack(list.ptr()); }

void put(const nb::dict& answer, PyObject* name, const nb::object& value) {
  if (PyDict_SetItem(answer.ptr(), name, value.ptr()) != 0) throw nb::python_error();
}

template <class D>
nb::object number(D value, bool whole) {
  if constexpr (std::is_integral_v<D>)
    return checked(PyLong_FromLongLong(value));
  else
    return checked(whole ? PyLong_FromDouble(value) : PyFloat_FromDouble(value));
}

/// Returns {name: distance} of the vertices of `order`. Floats flagged in `whole` become integers;
/// entries beyond the end of `whole` count as not flagged.
template <class D>
nb::dict dict_of_distances(nb::object names, In<std::int64_t> order, In<D> dist, In<bool> whole) {
  const Names named(names, view(order));
  nb::dict answer;
  SignalPoller signals;
  D last{};
  bool last_whole = false;
  nb::object value;  // vertices at the same distance are adjacent and share one object
  for (std::size_t i = 0; i < named.size(); ++i) {
    signals.step(1);
    if (i + Names::kAhead < named.size())
      __builtin_prefetch(dist.data() + order.data()[i + Names::kAhead]);
    const auto v = static_cast<std::size_t>(order.data()[i]);
    if (v >= dist.size()) throw std::invalid_argument("dist needs an entry for each vertex");
    const D label = dist.data()[v];
    const bool is_whole = i < whole.size() && whole.data()[i];
    if (!value.is_valid() || label != last || is_whole != last_whole) {
      value = number<D>(label, is_whole);
      last = label;
      last_whole = is_whole;
    }
    put(answer, named[i], value);
  }
  return answer;
}

/// Paths as lists of node objects. Each path is its predecessor's path plus one vertex. `backwards`
/// reverses the paths.
class PathLists {
 public:
  PathLists(Names& named, bool backwards)
      : named_(named), backwards_(backwards), last_(checked(PyList_New(1))) {}

  /// Appends the paths of the vertices that `named` has gained. `above` has the index of each
  /// vertex's predecessor, -1 for a source.
  void make(std::span<const std::int64_t> above) {
    const GcPause paused;
    for (std::size_t i = paths_.size(); i < named_.size(); ++i) {
      PyObject* name = named_[i];
      Py_INCREF(name);
      if (PyList_SetItem(last_.ptr(), 0, name) != 0) throw nb::python_error();
      if (above[i] >= static_cast<std::int64_t>(i))
        throw std::invalid_argument("a path's vertices are not in order");
      bool tracked = is_tracked(name);
      nb::object path;
      if (above[i] < 0) {
        path = checked(PyList_GetSlice(last_.ptr(), 0, 1));
      } else {
        const auto before = static_cast<std::size_t>(above[i]);
        PyObject* const head = paths_[before].ptr();
        tracked = tracked || tracked_[before];
        path = checked(backwards_ ? PySequence_Concat(last_.ptr(), head)
                                  : PySequence_Concat(head, last_.ptr()));
      }
      if (!tracked) untrack(path);
      signals_.step(static_cast<std::size_t>(PyList_Size(path.ptr())));
      paths_.push_back(std::move(path));
      tracked_.push_back(tracked);
    }
  }

  /// Moves the paths into a dictionary in a separate loop: creating lists between its insertions
  /// would evict it from the cache.
  nb::dict take() {
    const GcPause paused;
    nb::dict answer;
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      signals_.step(1);
      put(answer, named_[i], std::exchange(paths_[i], {}));
    }
    return answer;
  }

 private:
  Names& named_;
  const bool backwards_;
  const nb::object last_;
  SignalPoller signals_;
  std::vector<nb::object> paths_;
  std::vector<bool> tracked_;
};

/// Returns {name: path} of the vertices of `order`, from the index of each one's predecessor in it.
nb::dict dict_of_paths(nb::object names, In<std::int64_t> order, In<std::int64_t> above) {
  Names named(names, view(order));
  if (above.size() != named.size())
    throw std::invalid_argument("order and above are not of one length");
  PathLists lists(named, false);
  lists.make(view(above));
  return lists.take();
}

/// Returns {name: path} of the vertices that a breadth-first search over at most `limit` edges
/// reaches, in its order. One thread searches while the other, with the GIL, creates the lists.
template <Index V>
nb::dict dict_of_paths_by_levels(nb::object names, In<std::int64_t> indptr, In<V> indices,
                                 std::int64_t source, std::int64_t limit, bool backwards,
                                 int threads) {
  const auto rows = unweighted(indptr, indices);
  const std::size_t n = rows.vertices();
  require_vertex(source, rows.n());
  Names named(names, n);
  PathLists lists(named, backwards);
  VisitOrder scan;
  scan.order.reserve(n);
  scan.above.reserve(n);
  const std::int64_t* const order = scan.order.data();
  const std::int64_t* const above = scan.above.data();
  std::atomic<std::size_t> available{0};
  std::atomic<bool> ended{false};
  Control control(python_tick(nb::none()));
  const int searcher = std::min(at_least_one(threads), 2) - 1;
  run_team(searcher + 1, control, [&](int rank) {
    if (rank == searcher) {
      std::optional<nb::gil_scoped_release> free;
      if (rank == 0) free.emplace();
      breadth_first_scan<V>(
          rows.view().indptr, rows.view().indices, source, limit, {}, Poller(control, rank == 0),
          scan, [&](std::size_t count) { available.store(count, std::memory_order_release); });
      ended.store(true, std::memory_order_release);
    }
    if (rank != 0) return;
    Poller poller(control, true);
    for (bool last = false; !last;) {
      last = ended.load(std::memory_order_acquire);
      const std::size_t count = available.load(std::memory_order_acquire);
      if (count == named.size() && !last) {
        const nb::gil_scoped_release free;
        poller.check();
        std::this_thread::yield();
        continue;
      }
      named.of({order, count});
      lists.make({above, count});
    }
  });
  return lists.take();
}

/// Returns {name: list} of the vertices of `keys`. Each list has the names of the next part of
/// `listed`, up to the key's entry of `ends`.
nb::dict dict_of_lists(nb::object names, In<std::int64_t> keys, In<std::int64_t> ends,
                       In<std::int64_t> listed) {
  const Names named(names, view(keys));
  const Names entries(names, view(listed));
  if (ends.size() != named.size())
    throw std::invalid_argument("keys and ends are not of one length");
  nb::dict answer;
  SignalPoller signals;
  const GcPause paused;
  std::int64_t at = 0;
  for (std::size_t i = 0; i < named.size(); ++i) {
    const std::int64_t end = ends.data()[i];
    if (end < at || static_cast<std::size_t>(end) > entries.size())
      throw std::invalid_argument("ends do not ascend to the length of the lists");
    signals.step(static_cast<std::size_t>(end - at) + 1);
    const nb::object list = checked(PyList_New(end - at));
    bool tracked = false;
    for (Py_ssize_t k = 0; at < end; ++k, ++at) {
      PyObject* name = entries[static_cast<std::size_t>(at)];
      Py_INCREF(name);
      if (PyList_SetItem(list.ptr(), k, name) != 0) throw nb::python_error();
      tracked = tracked || is_tracked(name);
    }
    if (!tracked) untrack(list);
    put(answer, named[i], list);
  }
  return answer;
}

/// Whether all edges on the path to each vertex of an order are flagged: on entry, `flags` has the
/// flag of each vertex's last edge.
void along_paths(In<std::int64_t> above, Out<bool> flags) {
  if (above.size() != flags.size())
    throw std::invalid_argument("above and flags are not of one length");
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const std::int64_t before = above.data()[i];
    if (before >= static_cast<std::int64_t>(i))
      throw std::invalid_argument("a path's vertices are not in order");
    bool& flag = flags.data()[i];
    flag = before < 0 || (flag && flags.data()[before]);
  }
}

}  // namespace

void register_networkx_dicts(nb::module_& module) {
  const auto numbers = [&]<class D>() {
    module.def("dict_of_distances", &dict_of_distances<D>, nb::arg("names"),
               nb::arg("order").noconvert(), nb::arg("dist").noconvert(),
               nb::arg("whole").noconvert());
  };
  numbers.template operator()<std::int64_t>();
  numbers.template operator()<float>();
  numbers.template operator()<double>();
  module.def("dict_of_paths", &dict_of_paths, nb::arg("names"), nb::arg("order").noconvert(),
             nb::arg("above").noconvert());
  const auto by_levels = [&]<class V>() {
    module.def("dict_of_paths_by_levels", &dict_of_paths_by_levels<V>, nb::arg("names"),
               nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("source"),
               nb::arg("limit"), nb::arg("backwards"), nb::arg("threads"));
  };
  by_levels.template operator()<std::int32_t>();
  module.def("dict_of_lists", &dict_of_lists, nb::arg("names"), nb::arg("keys").noconvert(),
             nb::arg("ends").noconvert(), nb::arg("listed").noconvert());
  module.def("along_paths", &along_paths, nb::arg("above").noconvert(),
             nb::arg("flags").noconvert());
}

}  // namespace warpath::bindings
