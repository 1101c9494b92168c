package org.flowmon.jobs.distributed;

import java.io.IOException;
import java.util.List;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.java.tuple.Tuple2;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.query.QueryStats;
import org.flowmon.archive.query.plan.Groupings;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.jobs.scan.SplitQuery;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.partial.KeyGroupPartials;
import org.flowmon.udaf.query.FlowQuery;

/**
 * The partial groups of each split, by key group, then its {@link ReadCounts}.
 *
 * @param keyGroups one for each task that merges
 */
record GroupScan(ArchiveLocation archive, String query, int keyGroups, boolean isVerified)
    implements SplitQuery<Tuple2<Integer, byte[]>> {
  private static final long serialVersionUID = 1L;

  /** Heap of a task, if reading and merging tasks share the heap of queries. */
  static long memory(int tasks) {
    return QueryOptions.DEFAULTS.groupMemory() / (2L * Math.max(1, tasks));
  }

  @Override
  public Answers<Tuple2<Integer, byte[]>> answers(int readers) {
    FlowQuery parsed = QueryParser.parse(query);
    QueryOptions options =
        QueryOptions.DEFAULTS.withGroupMemory(memory(readers)).withVerifyChecksums(isVerified);
    return new Parts(parsed, keyGroups, options);
  }

  private static final class Parts implements Answers<Tuple2<Integer, byte[]>> {
    private final FlowQuery query;
    private final int keyGroups;
    private final QueryOptions options;
    private final List<FlowQuery> groupings;

    Parts(FlowQuery query, int keyGroups, QueryOptions options) {
      this.query = query;
      this.keyGroups = keyGroups;
      this.options = options;
      this.groupings = new Groupings(query).all();
    }

    @Override
    public boolean isComplete() {
      return false;
    }

    @Override
    public void answer(ArchiveSnapshot part, ReaderOutput<Tuple2<Integer, byte[]>> output)
        throws IOException {
      KeyGroupPartials[] partials = new KeyGroupPartials[groupings.size()];
      for (int g = 0; g < partials.length; g++) {
        GroupLayout layout = GroupLayout.of(groupings.get(g));
        partials[g] =
            new KeyGroupPartials(
                layout,
                g,
                query.groupBy().size(),
                keyGroups,
                (keyGroup, bytes) -> output.collect(Tuple2.of(keyGroup, bytes)));
      }
      QueryStats read =
          ArchiveQuery.groups(
              List.of(part), query, options, (grouping, some) -> partials[grouping].add(some));
      for (KeyGroupPartials some : partials) {
        some.flush();
      }
      output.collect(Tuple2.of(ReadCounts.PLACE, ReadCounts.of(read).toBytes()));
    }
  }
}
