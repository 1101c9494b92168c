package org.flowmon.jobs.history;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The cached answers of all analyses within one heap budget. Above it, the least recently requested
 * ones are dropped, whichever analysis they belong to: windows move on, so how often an answer was
 * requested, by which general caches choose, says nothing about the future. Thread-safe.
 */
final class AnswerMemory {
  private final long maxBytes;
  // The least recently requested comes first.
  private final LinkedHashMap<Key, Entry> entries = new LinkedHashMap<>(64, 0.75f, true);
  private long bytes;

  /**
   * The name of an answer.
   *
   * @param cache that it belongs to, compared by identity
   * @param number of the answer in it
   */
  record Key(Object cache, long number) {}

  private record Entry(Object answer, long bytes) {}

  /** Creates a budget of about this many bytes. */
  AnswerMemory(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  synchronized boolean has(Key key) {
    return entries.containsKey(key);
  }

  /** Requests an answer. */
  synchronized Optional<Object> get(Key key) {
    return Optional.ofNullable(entries.get(key)).map(Entry::answer);
  }

  /**
   * Adds an answer, or replaces it, and makes room. An answer above the budget is not cached.
   *
   * @param most answers of its cache
   */
  synchronized void put(Key key, Object answer, long size, int most) {
    forget(key);
    if (size > maxBytes) {
      return;
    }
    entries.put(key, new Entry(answer, size));
    bytes += size;
    long excess =
        entries.keySet().stream().filter(one -> one.cache() == key.cache()).count() - most;
    Iterator<Map.Entry<Key, Entry>> eldest = entries.entrySet().iterator();
    while (bytes > maxBytes || excess > 0) {
      Map.Entry<Key, Entry> one = eldest.next();
      boolean isOfCache = one.getKey().cache() == key.cache();
      if (bytes > maxBytes || isOfCache) {
        bytes -= one.getValue().bytes();
        excess -= isOfCache ? 1 : 0;
        eldest.remove();
      }
    }
  }

  /** Notes the size of an answer that has grown; an answer that is not cached is ignored. */
  synchronized void resize(Key key, Object answer, long size) {
    Entry entry = entries.get(key);
    if (entry != null && entry.answer() == answer) {
      put(key, answer, size, Integer.MAX_VALUE);
    }
  }

  private void forget(Key key) {
    Entry entry = entries.remove(key);
    bytes -= entry == null ? 0 : entry.bytes();
  }

  /** Drops all answers of a cache. */
  synchronized void clear(Object cache) {
    entries
        .entrySet()
        .removeIf(
            one -> {
              boolean isOfCache = one.getKey().cache() == cache;
              bytes -= isOfCache ? one.getValue().bytes() : 0;
              return isOfCache;
            });
  }
}
