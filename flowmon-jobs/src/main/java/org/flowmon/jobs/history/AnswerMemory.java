package org.flowmon.jobs.history;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The heap budget of the cached answers of all analyses together. Above it, the least recently
 * requested answers are dropped, whichever analysis they belong to: windows move on, so how often
 * an answer was requested, by which general caches choose, says nothing about the future. Its
 * monitor also guards the contents of each {@link Keeper}.
 */
final class AnswerMemory {
  private final long maxBytes;
  private final Set<Keeper> keepers = new LinkedHashSet<>();
  private long bytes;
  private long asked;

  /**
   * A cache of answers. It is called under the memory's monitor, and must not wait for another
   * monitor.
   */
  interface Keeper {
    /**
     * Returns the request number of its least recently requested answer; MAX_VALUE: it is empty.
     */
    long eldestAsked();

    /** Drops that answer and returns its bytes. */
    long dropEldest();
  }

  /** Creates a budget of about this many bytes. */
  AnswerMemory(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Returns the next request number; the lowest marks the least recent request. */
  long nextAsked() {
    return ++asked;
  }

  /** Whether an answer of this many bytes may be cached at all. */
  boolean fits(long size) {
    return size <= maxBytes;
  }

  /** Adds a change of a cache's bytes and makes room for it. */
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
        keepers.remove(eldest); // it may be out of use; it registers again with its next answer
      }
    }
  }

  /** Removes a cache of this many bytes, unless it begins again. */
  void forget(Keeper keeper, long size) {
    bytes -= size;
    keepers.remove(keeper);
  }
}
