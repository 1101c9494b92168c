package org.flowmon.jobs.history;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The cached answers of all analyses within one heap budget. Above it the least recently requested
 * go, whichever analysis's: windows move on, so how often an answer was requested, by which general
 * caches choose, says nothing about the future. Thread-safe.
 */
final class AnswerMemory {
  private final long maxBytes;
  private final LinkedHashMap<Key, Entry> entries = new LinkedHashMap<>(64, 0.75f, true);
  private long bytes;

  /** An answer's number in a cache, compared by identity. */
  record Key(Object cache, long number) {}

  private record Entry(Object answer, long bytes) {}

  AnswerMemory(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  synchronized boolean has(Key key) {
    return entries.containsKey(key);
  }

  synchronized Optional<Object> get(Key key) {
    return Optional.ofNullable(entries.get(key)).map(Entry::answer);
  }

  /** Adds or replaces one of {@code most} in a cache and makes room; none above the budget. */
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

  /** Notes that an answer has grown; one that is not cached is ignored. */
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
