package org.flowmon.udaf.group;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.udaf.aggregate.GroupHash;
import org.flowmon.udaf.memory.MemoryDraw;
import org.flowmon.udaf.memory.TextBytes;

/** One table's numbers for the texts of group keys. Number 0, a NULL's word, is no text. */
public final class TextDictionary {
  // Of a text beside its characters: headers of two objects, number, hash, and entries.
  private static final int ENTRY_BYTES = 160;

  private final Map<String, Integer> numbers = new HashMap<>();
  private final List<String> texts = new ArrayList<>();
  private final List<Long> hashes = new ArrayList<>();

  private final MemoryDraw memory;
  private long bytes;

  public TextDictionary(MemoryDraw memory) {
    this.memory = memory;
    clear();
  }

  public void clear() {
    numbers.clear();
    texts.clear();
    hashes.clear();
    memory.take(-bytes);
    bytes = 0;
    texts.add(null);
    hashes.add(0L);
  }

  public int number(String text) {
    if (text == null) {
      return 0;
    }
    Integer known = numbers.get(text);
    if (known != null) {
      return known;
    }
    long more = ENTRY_BYTES + TextBytes.of(text);
    memory.take(more);
    bytes += more;
    int number = texts.size();
    numbers.put(text, number);
    texts.add(text);
    hashes.add(GroupHash.ofText(text));
    return number;
  }

  public String text(long number) {
    return texts.get((int) number);
  }

  /** The word of the text in a group's hash; 0 for number 0. */
  long hash(long number) {
    return hashes.get((int) number);
  }

  long heapBytes() {
    return bytes;
  }

  public int size() {
    return texts.size();
  }
}
