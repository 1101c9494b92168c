package org.flowmon.archive.lease;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The part of a lease's file that names the segments that its process may still commit:
 *
 * <pre>
 *   0   8  smallest commit that is read ({@link ReaderLease})
 *   8  56  zeros
 *  64  64  id of a segment, ASCII, filled up with zeros; zeros alone: free
 *  …
 * </pre>
 *
 * <p>An entry is written before the segment's first file is made, so a file that was there before
 * the entries were read has its entry among them. The rest of this process may not open the file:
 * for it each entry is a system property too. Not thread-safe.
 */
final class OwnedSegments {
  private static final int ENTRY = 64;
  private static final String PROPERTY = "flowmon.owned.";

  private static final class Entry {
    final int place;
    int owners = 1;

    Entry(int place) {
      this.place = place;
    }
  }

  private final LockedFile file;
  private final Map<String, Entry> entries = new HashMap<>();
  private final BitSet used = new BitSet();

  OwnedSegments(LockedFile file) {
    this.file = file;
  }

  LockedFile file() {
    return file;
  }

  private String property(String id) {
    return prefix(file) + id;
  }

  private static String prefix(Object file) {
    return PROPERTY + file + "|";
  }

  void own(String id) throws IOException {
    Entry entry = entries.get(id);
    if (entry != null) {
      entry.owners++;
      return;
    }
    int place = used.nextClearBit(0);
    file.write(offset(place), Arrays.copyOf(id.getBytes(StandardCharsets.US_ASCII), ENTRY));
    System.setProperty(property(id), "");
    used.set(place);
    entries.put(id, new Entry(place));
  }

  private static long offset(int place) {
    return (long) ENTRY * (1 + place);
  }

  /** Removes an owner of a segment; if that fails the segment stays owned. */
  void disown(String id) throws IOException {
    Entry entry = entries.get(id);
    if (entry == null || --entry.owners > 0) {
      return;
    }
    entries.remove(id);
    System.clearProperty(property(id));
    file.write(offset(entry.place), new byte[ENTRY]);
    used.clear(entry.place);
  }

  void forgetAll() {
    entries.keySet().forEach(id -> System.clearProperty(property(id)));
    entries.clear();
  }

  static Set<String> ofThisProcess(Object file) {
    String prefix = prefix(file);
    Set<String> ids = new HashSet<>();
    for (String property : System.getProperties().stringPropertyNames()) {
      if (property.startsWith(prefix)) {
        ids.add(property.substring(prefix.length()));
      }
    }
    return ids;
  }

  static Set<String> of(byte[] content) {
    Set<String> ids = new HashSet<>();
    for (int at = ENTRY; at < content.length; at += ENTRY) {
      int end = at;
      while (end < Math.min(content.length, at + ENTRY) && content[end] != 0) {
        end++;
      }
      if (end > at) {
        ids.add(new String(content, at, end - at, StandardCharsets.US_ASCII));
      }
    }
    return ids;
  }
}
