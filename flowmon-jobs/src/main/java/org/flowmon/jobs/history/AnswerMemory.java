package org.flowmon.jobs.history;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * How much of the heap the answers may take that are kept of all analyses together: of more, those
 * go that were asked for least lately, whichever analysis they are of. Its monitor guards the
 * answers, too.
 */
final class AnswerMemory {
  private final long maxBytes;
  private final Set<RecentAnswers> keepers = new LinkedHashSet<>();
  private long bytes;
  private long asked;

  /** Of so many bytes, about. */
  AnswerMemory(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** The next of the numbers by which is known what was asked for least lately. */
  long nextAsked() {
    return ++asked;
  }

  /** Whether an answer of so many bytes may be kept at all. */
  boolean fits(long size) {
    return size <= maxBytes;
  }

  /** Notes what an analysis keeps more, or less, than before; makes room for it. */
  void changed(RecentAnswers keeper, long change) {
    bytes += change;
    keepers.add(keeper);
    while (bytes > maxBytes) {
      RecentAnswers eldest = keeper;
      for (RecentAnswers other : keepers) {
        eldest = other.eldestAsked() < eldest.eldestAsked() ? other : eldest;
      }
      bytes -= eldest.dropEldest();
    }
  }

  /** Notes that an analysis keeps nothing any more of so many bytes, unless it begins again. */
  void forget(RecentAnswers keeper, long size) {
    bytes -= size;
    keepers.remove(keeper);
  }
}
