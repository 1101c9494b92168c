package org.flowmon.jobs.history;

import java.util.Iterator;
import java.util.LinkedHashMap;
import org.flowmon.archive.ArchiveSnapshot;

/**
 * Answers that serve several windows: those of a history query that depends on nothing but {@code
 * :now}, which with {@code history.refresh} is the same for all windows of a period. Only exact
 * ones are kept, since what held everything that had arrived by as-of cannot become better; they
 * are given as long as the archive has the {@linkplain AskedSegments same} of what they are about.
 * Windows of several periods may be under way at once, as flows may be late and tasks behind one
 * another: those that were asked for last are kept, with no more rows together than two answers of
 * {@link #MAX_ROWS} have, which is the most that one may have, and with those of all other analyses
 * no more bytes than their {@link AnswerMemory} says. Thread-safe.
 */
final class RecentAnswers implements AnswerMemory.Keeper {
  static final int MAX_ROWS = 1_000_000;
  private static final int KEPT = 16;

  private final AnswerMemory memory; // its monitor guards what follows

  /**
   * An answer, and of what it is.
   *
   * @param asked grows from one time that it is asked for to the next
   */
  private record Kept(HistoryAnswer answer, AskedSegments segments, long bytes, long asked) {
    int rows() {
      return answer.rows().rowCount();
    }

    Kept askedAgain(long now) {
      return new Kept(answer, segments, bytes, now);
    }
  }

  // That which was asked for least lately comes first.
  private final LinkedHashMap<Long, Kept> byNow = new LinkedHashMap<>(32, 0.75f, true);
  private long rows;
  private final KeptGroups groups;

  /** Answers of an analysis that take no more of the heap than the groups of one lookup may. */
  RecentAnswers() {
    this(new AnswerMemory(LookupPool.groupMemory()));
  }

  /** Answers of one of the analyses that share a memory. */
  RecentAnswers(AnswerMemory memory) {
    this.memory = memory;
    this.groups = new KeptGroups(memory);
  }

  /** What was asked for by lists of the windows' values, where that is what serves others. */
  KeptGroups groups() {
    return groups;
  }

  /** Whether there is an answer for a time; a snapshot tells whether it still holds. */
  boolean has(long now) {
    synchronized (memory) {
      return byNow.containsKey(now);
    }
  }

  /** The answer for a time, null where it is not there, or the archive has something else now. */
  HistoryAnswer get(long now, ArchiveSnapshot snapshot) {
    synchronized (memory) {
      Kept kept = byNow.computeIfPresent(now, (key, of) -> of.askedAgain(memory.nextAsked()));
      boolean holds = kept != null && kept.segments().hold(snapshot, kept.answer().asOf());
      return holds ? kept.answer() : null;
    }
  }

  /**
   * Keeps an answer, if it is exact.
   *
   * @param segments what it was answered of
   */
  void keep(long now, HistoryAnswer answer, AskedSegments segments) {
    if (answer.status() != HistoryStatus.EXACT || answer.rows().rowCount() > MAX_ROWS) {
      return;
    }
    long size = answer.rows().heapBytes();
    synchronized (memory) {
      if (memory.fits(size)) {
        Kept before = byNow.put(now, new Kept(answer, segments, size, memory.nextAsked()));
        rows += answer.rows().rowCount() - (before == null ? 0 : before.rows());
        long change = size - (before == null ? 0 : before.bytes());
        while (byNow.size() > KEPT || rows > 2L * MAX_ROWS) {
          change -= dropEldest();
        }
        memory.changed(this, change);
      }
    }
  }

  /** Keeps nothing of what was asked so far. */
  void clear() {
    synchronized (memory) {
      long size = 0;
      while (!byNow.isEmpty()) {
        size += dropEldest();
      }
      memory.forget(this, size);
      groups.clear();
    }
  }

  @Override
  public long eldestAsked() {
    return byNow.isEmpty() ? Long.MAX_VALUE : byNow.values().iterator().next().asked();
  }

  @Override
  public long dropEldest() {
    Iterator<Kept> eldest = byNow.values().iterator();
    Kept dropped = eldest.next();
    eldest.remove();
    rows -= dropped.rows();
    return dropped.bytes();
  }
}
