package org.flowmon.jobs.history;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * How much of the heap the answers may take that are kept of all analyses together: of more, those
 * go that were asked for least lately, whichever analysis they are of. Its monitor guards what each
 * {@link Keeper} keeps, too.
 */
final class AnswerMemory {
  private final long maxBytes;
  private final Set<Keeper> keepers = new LinkedHashSet<>();
  private long bytes;
  private long asked;

  /** Keeps answers. It is asked under the memory's monitor, and must not wait for another. */
  interface Keeper {
    /** When that was asked for which was asked for least lately; MAX_VALUE: nothing is kept. */
    long eldestAsked();

    /** Drops that one; the bytes that it had. */
    long dropEldest();
  }

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

  /** Notes what a keeper has more, or less, than before; makes room for it. */
  void changed(Keeper keeper, long change) {
    bytes += change;
    keepers.add(keeper);
    while (bytes > maxBytes) {
      Keeper eldest = keeper;
      for (Keeper other : keepers) {
        eldest = other.eldestAsked() < eldest.eldestAsked() ? other : eldest;
      }
      bytes -= eldest.dropEldest();
      if (eldest.eldestAsked() == Long.MAX_VALUE) {
        keepers.remove(eldest); // nobody may ask it any more: it is noted when it has something
      }
    }
  }

  /** Notes that a keeper has nothing any more of so many bytes, unless it begins again. */
  void forget(Keeper keeper, long size) {
    bytes -= size;
    keepers.remove(keeper);
  }
}
