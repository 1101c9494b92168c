package org.flowmon.jobs.history.cache;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The cached answers of all analyses within one heap budget. Above it the least recently requested
 * go, whichever analysis's: windows move on, so how often an answer was requested, by which general
 * caches choose, says nothing about the future. Thread-safe.
 */
public final class AnswerMemory {
  private final long maxBytes;
  private final LinkedHashMap<Key, Entry> entries = new LinkedHashMap<>(64, 0.75f, true);
  private long bytes;

  /** The answers of one cache, and how many of them, and of their rows, it may have. */
  public static final class Share {
    private final int maxAnswers;
    private final long maxRows;
    private int answers;
    private long rows;

    public Share(int maxAnswers, long maxRows) {
      this.maxAnswers = maxAnswers;
      this.maxRows = maxRows;
    }
  }

  /** An answer's number in a cache. */
  public record Key(Share share, long number) {}

  private record Entry(Object answer, long bytes, long rows) {}

  public AnswerMemory(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  public synchronized boolean has(Key key) {
    return entries.containsKey(key);
  }

  public synchronized Optional<Object> get(Key key) {
    return Optional.ofNullable(entries.get(key)).map(Entry::answer);
  }

  /** Adds or replaces an answer and makes room; none above the budget. */
  public synchronized void put(Key key, Object answer, long size, long rows) {
    Entry before = entries.remove(key);
    if (before != null) {
      count(key, before, -1);
    }
    if (size > maxBytes) {
      return;
    }
    Entry added = new Entry(answer, size, rows);
    entries.put(key, added);
    count(key, added, 1);
    Share share = key.share();
    Iterator<Map.Entry<Key, Entry>> eldest = entries.entrySet().iterator();
    while (bytes > maxBytes || share.answers > share.maxAnswers || share.rows > share.maxRows) {
      Map.Entry<Key, Entry> one = eldest.next();
      if (bytes > maxBytes || one.getKey().share() == share) {
        eldest.remove();
        count(one.getKey(), one.getValue(), -1);
      }
    }
  }

  private void count(Key key, Entry entry, int sign) {
    bytes += sign * entry.bytes();
    key.share().answers += sign;
    key.share().rows += sign * entry.rows();
  }

  /** Notes that an answer has grown; one that is not cached is ignored. */
  public synchronized void resize(Key key, Object answer, long size) {
    Entry entry = entries.get(key);
    if (entry != null && entry.answer() == answer) {
      put(key, answer, size, entry.rows());
    }
  }

  public synchronized void clear(Share share) {
    entries
        .entrySet()
        .removeIf(
            one -> {
              boolean isOfShare = one.getKey().share() == share;
              if (isOfShare) {
                count(one.getKey(), one.getValue(), -1);
              }
              return isOfShare;
            });
  }
}
