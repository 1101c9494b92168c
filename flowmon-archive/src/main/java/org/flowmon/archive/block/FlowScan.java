package org.flowmon.archive.block;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.plan.QueriedArchives;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Expression;
import org.jspecify.annotations.Nullable;

/**
 * Reads chosen columns of an archive, block by block, decoded ahead by several threads. Memory is
 * bounded: some blocks of 1024 rows for each thread, and with time order one for each segment that
 * has rows of the same hours.
 *
 * <pre>{@code
 * try (Archive archive = Archive.open(directory);
 *     ArchiveSnapshot snapshot = archive.snapshot();
 *     FlowScan scan = FlowScan.of(snapshot).columns(SRC_ADDR, BYTES).where("NOT outgoing").open()) {
 *   for (FlowBlock block = scan.next(); block != null; block = scan.next()) {
 *     …
 *   }
 * }
 * }</pre>
 *
 * <p>Not thread-safe: one thread reads. The snapshot stays open until the scan is closed.
 */
public final class FlowScan implements BlockSource {
  private final List<SegmentBlocks> segments;
  private final ReadAhead readAhead;
  private final @Nullable TimeMerge merge; // null: segment after segment
  private int current;

  private FlowScan(List<SegmentBlocks> segments, ReadAhead readAhead, boolean inOrder) {
    this.segments = segments;
    this.readAhead = readAhead;
    this.merge = inOrder ? new TimeMerge(segments, false) : null;
  }

  /** Begins a scan; by default it reads every column of every row. */
  public static Builder of(ArchiveSnapshot snapshot) {
    return of(List.of(snapshot));
  }

  /** Over different archives, at least one, as if all their flows were in one. */
  public static Builder of(List<ArchiveSnapshot> snapshots) {
    return new Builder(new QueriedArchives(snapshots, true));
  }

  /** The columns, condition and order of a scan. */
  public static final class Builder {
    private final QueriedArchives archives;
    private final Set<FlowColumn> columns = new TreeSet<>();
    private final List<Expression> terms = new ArrayList<>();
    private boolean inOrder;
    private int threads = 1;

    private Builder(QueriedArchives archives) {
      this.archives = archives;
    }

    /** Reads these columns only; further calls add columns. */
    public Builder columns(FlowColumn first, FlowColumn... others) {
      columns.add(first);
      Collections.addAll(columns, others);
      return this;
    }

    /**
     * Reads only rows for which a condition of the query dialect is TRUE; all added ones must be. A
     * condition on times leaves out segments, one on {@code end_time} parts of them, and one that
     * binds an address segments that do not hold it by the host directory.
     *
     * @throws org.flowmon.udaf.text.QueryException saying what was found where, and what was
     *     expected
     */
    public Builder where(String condition) {
      return where(QueryParser.parseCondition(condition));
    }

    /** Adds a condition without parameters. */
    public Builder where(Expression condition) {
      terms.add(condition);
      return this;
    }

    /** Gives all rows in the order of {@link FlowBlock#time}; else segment after segment. */
    public Builder inTimeOrder() {
      this.inOrder = true;
      return this;
    }

    /** Decodes with so many threads; with 1, the default, on the caller's thread. */
    public Builder threads(int count) {
      if (count < 1) {
        throw new IllegalArgumentException(count + " threads, expected at least 1");
      }
      this.threads = count;
      return this;
    }

    /** Begins; {@link org.flowmon.udaf.text.QueryException} names a parameter without value. */
    public FlowScan open() throws IOException {
      Set<FlowColumn> wanted = columns.isEmpty() ? new TreeSet<>(FlowColumn.all()) : columns;
      Expression where =
          terms.isEmpty() ? null : terms.size() == 1 ? terms.get(0) : new Expression.And(terms);
      CompiledPredicate.of(where); // throws if the condition is wrong
      ReadAhead readAhead = new ReadAhead(threads);
      SegmentBlocks.Wanted what = new SegmentBlocks.Wanted(archives, new TreeSet<>(wanted), where);
      List<SegmentBlocks> blocks = new ArrayList<>();
      for (SealedSegment segment : segments(where)) {
        SegmentBlocks next = new SegmentBlocks(segment, what, readAhead);
        if (!blocks.isEmpty()) {
          blocks.get(blocks.size() - 1).setFollowing(next);
        }
        blocks.add(next);
      }
      return new FlowScan(blocks, readAhead, inOrder);
    }

    /** The segments that may hold a matching row, by their first times. */
    private List<SealedSegment> segments(@Nullable Expression where) throws IOException {
      List<SealedSegment> segments =
          new ArrayList<>(archives.choose(Constraints.of(where)).segments());
      segments.sort(Comparator.comparingLong(segment -> segment.timeKey().min()));
      return segments;
    }
  }

  int segments() {
    return segments.size();
  }

  int openSegments() {
    return (int) segments.stream().filter(SegmentBlocks::isOpen).count();
  }

  @Override
  public @Nullable FlowBlock next() throws IOException {
    if (merge != null) {
      return merge.next();
    }
    while (current < segments.size()) {
      FlowBlock block = segments.get(current).next();
      if (block != null) {
        return block;
      }
      segments.get(current++).close();
    }
    return null;
  }

  @Override
  public void close() {
    readAhead.close();
    segments.forEach(SegmentBlocks::close);
  }
}
