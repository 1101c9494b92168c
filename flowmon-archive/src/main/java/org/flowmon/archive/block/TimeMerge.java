package org.flowmon.archive.block;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;
import org.flowmon.flow.FlowColumn;
import org.jspecify.annotations.Nullable;

/** Merges sources, each in time order. Equal times come in the order of sources, then their own. */
public final class TimeMerge implements BlockSource {
  // Rows of a block that is put together from small runs.
  private static final int BLOCK = 2048;
  // A run of at least so many rows is handed on without copying.
  private static final int LONG_RUN = 256;
  // With more sources than so many holding a block, one whose next row is far off puts its block
  // away: a stray from long ago opens every segment that has one, and must not keep all open.
  private static final int MANY_WAITING = 64;
  private static final long FAR_MICROS = 3_600_000_000L;

  /** A source that is opened when its first rows are due. */
  interface Pending {
    /** A lower bound of its rows' times (µs). */
    long firstTime();

    BlockSource open() throws IOException;
  }

  /** A source that can free the rows it read ahead while its next row is not due for long. */
  interface Parkable extends BlockSource {
    /**
     * Frees everything; {@link #next} then gives the last {@code unread} (at least 1) rows again.
     */
    void park(int unread) throws IOException;
  }

  /** An open source and its next row. */
  private static final class Head implements Comparable<Head> {
    private final BlockSource source;
    private final int number;
    private @Nullable FlowBlock block; // null while the source is parked
    private int at;
    private long time;

    Head(BlockSource source, int number) {
      this.source = source;
      this.number = number;
    }

    long time() {
      return time;
    }

    void at(FlowBlock of, int row) {
      at = row;
      time = of.time(row);
    }

    @Override
    public int compareTo(Head other) {
      int order = Long.compare(time(), other.time());
      return order != 0 ? order : Integer.compare(number, other.number);
    }
  }

  private final List<? extends Pending> pending;
  private final boolean isNumbered;
  private final PriorityQueue<Head> heads = new PriorityQueue<>();
  private final List<Head> opened = new ArrayList<>();
  private final List<FlowBlock> runs = new ArrayList<>();
  private @Nullable Set<FlowColumn> columns; // of all blocks; null before the first
  private @Nullable FlowBlock due;
  private int waiting; // heads that hold a block

  /** {@code pending} ascend by first times; {@code isNumbered}: rows get their source's number. */
  TimeMerge(List<? extends Pending> pending, boolean isNumbered) {
    this.pending = pending;
    this.isNumbered = isNumbered;
  }

  /**
   * Merges sources with the same columns; closing the merge closes them. A source that breaks its
   * time order causes an {@link IllegalArgumentException} when it shows.
   */
  public static TimeMerge of(List<? extends BlockSource> sources) {
    List<Pending> all = new ArrayList<>();
    for (BlockSource source : sources) {
      all.add(
          new Pending() {
            @Override
            public long firstTime() {
              return Long.MIN_VALUE;
            }

            @Override
            public BlockSource open() {
              return source;
            }
          });
    }
    return new TimeMerge(all, true);
  }

  @Override
  public @Nullable FlowBlock next() throws IOException {
    if (due != null) {
      FlowBlock block = due;
      due = null;
      return block;
    }
    runs.clear();
    int rows = 0;
    while (rows < BLOCK) {
      openDue();
      Head head = heads.poll();
      if (head == null) {
        break;
      }
      FlowBlock block = head.block == null ? resume(head) : head.block;
      FlowBlock run = run(head, block, BLOCK - rows);
      if (run.rows() >= LONG_RUN) {
        if (runs.isEmpty()) {
          return run;
        }
        due = run;
        break;
      }
      runs.add(run);
      rows += run.rows();
    }
    return runs.isEmpty() ? null : runs.size() == 1 ? runs.get(0) : FlowBlock.concat(runs);
  }

  private void openDue() throws IOException {
    while (opened.size() < pending.size()
        && (heads.isEmpty() || pending.get(opened.size()).firstTime() <= heads.peek().time())) {
      Head head = new Head(pending.get(opened.size()).open(), opened.size());
      opened.add(head);
      advance(head);
    }
  }

  /** The rows of a source that come before those of every other, at most so many. */
  private FlowBlock run(Head head, FlowBlock block, int atMost) throws IOException {
    int from = head.at;
    int end = block.rows();
    Head other = heads.peek();
    if (other != null) {
      // At equal times the source of the smaller number comes first.
      long last = head.number < other.number ? other.time() : before(other.time());
      end = Math.min(end, block.firstAfter(last, from));
    }
    if (opened.size() < pending.size()) {
      end = Math.min(end, block.firstAfter(pending.get(opened.size()).firstTime(), from));
    }
    // Its first row is the next of all, whatever comes after.
    end = Math.max(end, from + 1);
    end = end - from < LONG_RUN ? Math.min(end, from + atMost) : end;
    FlowBlock run = block.slice(from, end - from);
    if (end == block.rows()) {
      advance(head);
    } else {
      head.at(block, end);
      await(head);
    }
    return run;
  }

  private static long before(long time) {
    return time == Long.MIN_VALUE ? time : time - 1;
  }

  private void advance(Head head) throws IOException {
    FlowBlock before = head.block;
    long last = before == null ? Long.MIN_VALUE : before.time(before.rows() - 1);
    FlowBlock block = head.source.next();
    if (block == null) {
      head.source.close();
      waiting -= before == null ? 0 : 1;
      head.block = null;
      return;
    }
    Set<FlowColumn> expected = columns == null ? block.columns() : columns;
    columns = expected;
    if (!expected.equals(block.columns())) {
      throw new IllegalArgumentException(
          "source " + head.number + " has columns " + block.columns() + ", expected " + expected);
    }
    for (int i = 0; i < block.rows(); i++) {
      long time = block.time(i);
      if (time < last) {
        throw new IllegalArgumentException(
            String.format(
                "source %s is not in the order of time: %s µs after %s", head.number, time, last));
      }
      last = time;
    }
    setBlock(head, block);
    await(head);
  }

  private FlowBlock setBlock(Head head, FlowBlock block) {
    FlowBlock mine = isNumbered ? block.ofSource(head.number) : block;
    waiting += head.block == null ? 1 : 0;
    head.block = mine;
    head.at(mine, 0);
    return mine;
  }

  private void await(Head head) throws IOException {
    heads.add(head);
    FlowBlock block = head.block;
    if (block != null
        && waiting > MANY_WAITING
        && head.time() - FAR_MICROS > heads.peek().time()
        && head.source instanceof Parkable source) {
      source.park(block.rows() - head.at);
      head.block = null;
      waiting--;
    }
  }

  private FlowBlock resume(Head head) throws IOException {
    return setBlock(
        head, Objects.requireNonNull(head.source.next(), "a parked source has rows left"));
  }

  @Override
  public void close() throws IOException {
    IOException failure = null;
    for (int i = 0; i < pending.size(); i++) {
      try {
        if (i < opened.size()) {
          opened.get(i).source.close();
        } else if (isNumbered) {
          pending.get(i).open().close(); // given by the caller, who leaves closing to this merge
        }
      } catch (IOException e) {
        failure = failure == null ? e : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
