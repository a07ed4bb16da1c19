// named.cpp - answers in Python's own dictionaries and lists, whose keys are a graph's node
// objects.
//
// What these loops cost is making and counting objects: 40 to 80 ns for an entry of a dictionary,
// a nanosecond for one of a list. Python's API is called as the stable ABI has it, with the GIL
// held throughout.

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "common.hpp"

namespace warpath::bindings {

namespace {

/// Keeps Python's collector from looking through all objects again and again while many are made.
class CollectorPaused {
 public:
  CollectorPaused() : enabled_(PyGC_Disable() != 0) {}
  ~CollectorPaused() {
    if (enabled_) PyGC_Enable();
  }
  CollectorPaused(const CollectorPaused&) = delete;
  CollectorPaused& operator=(const CollectorPaused&) = delete;

 private:
  bool enabled_;
};

/// Lets Ctrl-C through every so many steps.
class Signals {
 public:
  void beat(std::size_t steps) {
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
  Names(const nb::object& array, std::span<const std::int64_t> vertices) : vertices_(vertices) {
    if (PyObject_GetBuffer(array.ptr(), &buffer_, PyBUF_FORMAT) != 0) throw nb::python_error();
    const auto n = static_cast<std::size_t>(buffer_.len) / sizeof(PyObject*);
    const bool objects = buffer_.format != nullptr && std::string(buffer_.format) == "O";
    const bool known = std::all_of(vertices.begin(), vertices.end(), [n](std::int64_t v) {
      return v >= 0 && static_cast<std::size_t>(v) < n;
    });
    if (objects && known) return;
    PyBuffer_Release(&buffer_);
    throw std::invalid_argument(objects ? "there are fewer names than vertices"
                                        : "names are an array of objects");
  }
  ~Names() { PyBuffer_Release(&buffer_); }
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;

  std::size_t size() const { return vertices_.size(); }

  /// The object of the i-th vertex. They lie anywhere, and so do their addresses: those that are
  /// due soon are asked for.
  PyObject* operator[](std::size_t i) const {
    if (i + 2 * kAhead < vertices_.size())
      __builtin_prefetch(objects() + vertices_[i + 2 * kAhead]);
    if (i + kAhead < vertices_.size()) __builtin_prefetch(at(i + kAhead), 1);
    return at(i);
  }

  static constexpr std::size_t kAhead = 16;

 private:
  PyObject* const* objects() const { return static_cast<PyObject* const*>(buffer_.buf); }
  PyObject* at(std::size_t i) const { return objects()[vertices_[i]]; }

  std::span<const std::int64_t> vertices_;
  Py_buffer buffer_;
};

nb::object checked(PyObject* made) {
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
}

/// Whether Python's collector has to follow an object, for it may be part of a cycle of references:
/// not strings, numbers, and tuples of them that the collector has seen.
bool followed(PyObject* object) { return PyObject_GC_IsTracked(object) != 0; }

/// Takes a list that the collector need not follow out of its sight, as Python itself does with
/// tuples: looking through 125,000 of them takes as long as making them. What is appended to such a
/// list later is not seen there either; a cycle that somebody closes through it is never freed.
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

/// {name: distance} of the vertices of `order`. Of floats those that `whole` says become integers;
/// it may have fewer entries, after which none is.
template <class D>
nb::dict named_numbers(nb::object names, In<std::int64_t> order, In<D> dist, In<bool> whole) {
  const Names named(names, view(order));
  nb::dict answer;
  Signals signals;
  D last{};
  bool last_whole = false;
  nb::object value;  // equally far vertices follow each other and share one
  for (std::size_t i = 0; i < named.size(); ++i) {
    signals.beat(1);
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

/// {name: path} of the vertices of `order`, from the place of the one before each in it; -1 at a
/// source. `backwards` writes each path from its end on.
nb::dict named_paths(nb::object names, In<std::int64_t> order, In<std::int64_t> above,
                     bool backwards) {
  const Names named(names, view(order));
  if (above.size() != named.size())
    throw std::invalid_argument("order and above are not of one length");
  nb::dict answer;
  Signals signals;
  const CollectorPaused paused;
  std::vector<nb::object> paths(named.size());
  std::vector<bool> to_follow(named.size());
  const nb::object last = checked(PyList_New(1));
  for (std::size_t i = 0; i < named.size(); ++i) {
    PyObject* name = named[i];
    Py_INCREF(name);
    if (PyList_SetItem(last.ptr(), 0, name) != 0) throw nb::python_error();
    const std::int64_t before = above.data()[i];
    if (before >= static_cast<std::int64_t>(i))
      throw std::invalid_argument("a path's vertices are not in order");
    to_follow[i] = followed(name);
    if (before < 0) {
      paths[i] = checked(PyList_GetSlice(last.ptr(), 0, 1));
    } else {
      const nb::object& path = paths[static_cast<std::size_t>(before)];
      if (to_follow[static_cast<std::size_t>(before)]) to_follow[i] = true;
      paths[i] = checked(backwards ? PySequence_Concat(last.ptr(), path.ptr())
                                   : PySequence_Concat(path.ptr(), last.ptr()));
    }
    if (!to_follow[i]) untrack(paths[i]);
    signals.beat(static_cast<std::size_t>(PyList_Size(paths[i].ptr())));
  }
  // On their own: lists made between the entries take the dictionary out of the cache.
  for (std::size_t i = 0; i < named.size(); ++i) {
    signals.beat(1);
    put(answer, named[i], std::exchange(paths[i], {}));
  }
  return answer;
}

/// {name: list} of the vertices of `keys`: the names of `listed` up to each end, one after another.
nb::dict named_lists(nb::object names, In<std::int64_t> keys, In<std::int64_t> ends,
                     In<std::int64_t> listed) {
  const Names named(names, view(keys));
  const Names entries(names, view(listed));
  if (ends.size() != named.size())
    throw std::invalid_argument("keys and ends are not of one length");
  nb::dict answer;
  Signals signals;
  const CollectorPaused paused;
  std::int64_t at = 0;
  for (std::size_t i = 0; i < named.size(); ++i) {
    const std::int64_t end = ends.data()[i];
    if (end < at || static_cast<std::size_t>(end) > entries.size())
      throw std::invalid_argument("ends do not ascend to the length of the lists");
    signals.beat(static_cast<std::size_t>(end - at) + 1);
    const nb::object list = checked(PyList_New(end - at));
    bool to_follow = false;
    for (Py_ssize_t k = 0; at < end; ++k, ++at) {
      PyObject* name = entries[static_cast<std::size_t>(at)];
      Py_INCREF(name);
      if (PyList_SetItem(list.ptr(), k, name) != 0) throw nb::python_error();
      to_follow = to_follow || followed(name);
    }
    if (!to_follow) untrack(list);
    put(answer, named[i], list);
  }
  return answer;
}

/// Whether all edges up to the vertices of an order are flagged: `flags` has the last edge of each.
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

void register_named(nb::module_& module) {
  const auto numbers = [&]<class D>() {
    module.def("named_numbers", &named_numbers<D>, nb::arg("names"), nb::arg("order").noconvert(),
               nb::arg("dist").noconvert(), nb::arg("whole").noconvert());
  };
  numbers.template operator()<std::int64_t>();
  numbers.template operator()<float>();
  numbers.template operator()<double>();
  module.def("named_paths", &named_paths, nb::arg("names"), nb::arg("order").noconvert(),
             nb::arg("above").noconvert(), nb::arg("backwards"));
  module.def("named_lists", &named_lists, nb::arg("names"), nb::arg("keys").noconvert(),
             nb::arg("ends").noconvert(), nb::arg("listed").noconvert());
  module.def("along_paths", &along_paths, nb::arg("above").noconvert(),
             nb::arg("flags").noconvert());
}

}  // namespace warpath::bindings
