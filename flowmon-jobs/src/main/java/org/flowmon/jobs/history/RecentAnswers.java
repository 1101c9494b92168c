package org.flowmon.jobs.history;

import java.util.Iterator;
import java.util.LinkedHashMap;
import org.flowmon.archive.ArchiveSnapshot;

/**
 * A cache of answers that serve several windows: those of a history query that depends on {@code
 * :now} alone, which with {@code history.refresh} is the same for all windows of a period. Only
 * exact answers are cached, since they cannot improve. They are valid while the archive has the
 * {@linkplain AskedSegments same} rows for them. Windows of several periods may be open at once, as
 * flows may be late and tasks behind one another, so the most recently requested answers are kept.
 * Together they have at most the rows of two answers of {@link #MAX_ROWS}, the limit of one, and
 * with those of all other analyses at most the bytes of their {@link AnswerMemory}. Thread-safe.
 */
final class RecentAnswers implements AnswerMemory.Keeper {
  static final int MAX_ROWS = 1_000_000;
  private static final int KEPT = 16;

  private final AnswerMemory memory; // its monitor guards the fields below

  /**
   * An answer and its segments.
   *
   * @param asked the request number of the last request
   */
  private record Kept(HistoryAnswer answer, AskedSegments segments, long bytes, long asked) {
    int rows() {
      return answer.rows().rowCount();
    }

    Kept askedAgain(long now) {
      return new Kept(answer, segments, bytes, now);
    }
  }

  // The least recently requested comes first.
  private final LinkedHashMap<Long, Kept> byNow = new LinkedHashMap<>(32, 0.75f, true);
  private long rows;
  private final KeptGroups groups;

  /** Creates a cache of one analysis whose heap limit is that of the groups of one lookup. */
  RecentAnswers() {
    this(new AnswerMemory(LookupPool.groupMemory()));
  }

  /** Creates a cache of one of the analyses that share a memory. */
  RecentAnswers(AnswerMemory memory) {
    this.memory = memory;
    this.groups = new KeptGroups(memory);
  }

  /** Returns the cached groups, for queries with lists of the windows' values. */
  KeptGroups groups() {
    return groups;
  }

  /** Whether there is an answer for a time; a snapshot tells whether it still holds. */
  boolean has(long now) {
    synchronized (memory) {
      return byNow.containsKey(now);
    }
  }

  /** Returns the answer for a time, null if it is missing or the archive has changed. */
  HistoryAnswer get(long now, ArchiveSnapshot snapshot) {
    synchronized (memory) {
      Kept kept = byNow.computeIfPresent(now, (key, of) -> of.askedAgain(memory.nextAsked()));
      boolean holds = kept != null && kept.segments().hold(snapshot, kept.answer().asOf());
      return holds ? kept.answer() : null;
    }
  }

  /**
   * Caches an answer, if it is exact.
   *
   * @param segments the rows behind it
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

  /** Drops all answers. */
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
