#include "warpath/sssp/partition.hpp"

#include "graph_rows.hpp"

namespace warpath::bindings {

namespace {

template <Index V, Weight W>
void register_pair(nb::module_& module) {
  using D = DistanceOf<W>;
  using Rows = PartRows<V, W>;
  module.def(
      "relax_part",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, Out<D> dist,
         Out<std::uint8_t> pending, D threshold) {
        const Rows rows(view(indptr), view(indices), view(weights), dist.size());
        require_size(pending.size(), rows.own(), "pending");
        Control control(python_tick(nb::none()));
        std::vector<V> lowered;
        PartCounters counters;
        {
          const nb::gil_scoped_release free;
          counters = relax_part<V, W>(rows, view(dist), view(pending), threshold, lowered,
                                      Poller(control, true));
        }
        nb::dict out;
        out["settled"] = counters.settled;
        out["relaxed"] = counters.relaxed;
        out["improved"] = counters.improved;
        out["overflow"] = counters.overflow;
        out["lowered"] = to_numpy(std::move(lowered));
        return out;
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("dist").noconvert(), nb::arg("pending").noconvert(), nb::arg("threshold"));
  module.def(
      "append_edges",
      [](Out<std::int64_t> next, In<V> src, In<V> dst, In<W> weights, Out<V> indices,
         Out<W> out_weights) {
        require_size(dst.size(), src.size(), "dst");
        require(weights.size() == 0 || weights.size() == src.size(),
                "weights must have an entry for each edge, or none");
        require_size(out_weights.size(), weights.size() == 0 ? 0 : indices.size(), "out_weights");
        const nb::gil_scoped_release free;
        append_edges<V, W>(view(next), view(src), view(dst), view(weights), view(indices),
                           view(out_weights));
      },
      nb::arg("next").noconvert(), nb::arg("src").noconvert(), nb::arg("dst").noconvert(),
      nb::arg("weights").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("out_weights").noconvert());
  module.def(
      "check_part",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<D> dist, Out<V> above) {
        const Rows rows(view(indptr), view(indices), view(weights), dist.size());
        require_size(above.size(), dist.size(), "above");
        Control control(python_tick(nb::none()));
        ShorterEdge edge;
        {
          const nb::gil_scoped_release free;
          edge = check_part<V, W>(rows, view(dist), view(above), Poller(control, true));
        }
        return nb::make_tuple(edge.u, edge.v, edge.e);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("dist").noconvert(), nb::arg("above").noconvert());
  module.def(
      "tight_edges_without_length",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<D> dist, In<std::uint8_t> open,
         In<V> frontier) {
        const Rows rows(view(indptr), view(indices), view(weights), dist.size());
        require_size(open.size(), rows.own(), "open");
        Control control(python_tick(nb::none()));
        std::vector<V> targets, sources;
        {
          const nb::gil_scoped_release free;
          tight_edges_without_length<V, W>(rows, view(dist), view(open), view(frontier), targets,
                                           sources, Poller(control, true));
        }
        return nb::make_tuple(to_numpy(std::move(targets)), to_numpy(std::move(sources)));
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("dist").noconvert(), nb::arg("open").noconvert(), nb::arg("frontier").noconvert());
}

template <Index V, class D>
void register_lower(nb::module_& module) {
  module.def(
      "lower_labels",
      [](Out<D> dist, Out<std::uint8_t> pending, In<V> vertices, In<D> labels) {
        require(pending.size() <= dist.size(), "dist has a label for each vertex");
        require_size(labels.size(), vertices.size(), "labels");
        const nb::gil_scoped_release free;
        return lower_labels<V, D>(view(dist), view(pending), view(vertices), view(labels));
      },
      nb::arg("dist").noconvert(), nb::arg("pending").noconvert(), nb::arg("vertices").noconvert(),
      nb::arg("labels").noconvert());
}

}  // namespace

void register_partition(nb::module_& module) {
  for_each_type([&]<class V, class W>() { register_pair<V, W>(module); });
  register_lower<std::int32_t, std::int64_t>(module);
  register_lower<std::int32_t, float>(module);
  register_lower<std::int32_t, double>(module);
}

}  // namespace warpath::bindings
