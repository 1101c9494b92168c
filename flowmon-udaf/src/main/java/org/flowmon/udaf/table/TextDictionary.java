package org.flowmon.udaf.table;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.udaf.aggregate.GroupHash;

/** Numbers for the texts of group keys within one table. Text 0 is no text: the word of a NULL. */
final class TextDictionary {
  private final Map<String, Integer> numbers = new HashMap<>();
  private final List<String> texts = new ArrayList<>();
  private final List<Long> hashes = new ArrayList<>();

  TextDictionary() {
    clear();
  }

  void clear() {
    numbers.clear();
    texts.clear();
    hashes.clear();
    texts.add(null);
    hashes.add(0L);
  }

  int number(String text) {
    if (text == null) {
      return 0;
    }
    Integer known = numbers.get(text);
    if (known != null) {
      return known;
    }
    int number = texts.size();
    numbers.put(text, number);
    texts.add(text);
    hashes.add(GroupHash.ofText(text));
    return number;
  }

  String text(long number) {
    return texts.get((int) number);
  }

  /** The word that stands for the text in a group's hash; 0 for number 0. */
  long hash(long number) {
    return hashes.get((int) number);
  }

  int size() {
    return texts.size();
  }
}
