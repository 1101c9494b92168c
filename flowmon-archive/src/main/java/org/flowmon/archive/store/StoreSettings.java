package org.flowmon.archive.store;

import java.io.IOException;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Settings of a store, each read once; an unread one is an error. No value is ever printed. */
public final class StoreSettings {
  private final String store;
  private final Map<String, String> settings;
  private final TreeSet<String> known = new TreeSet<>();

  public StoreSettings(String store, Map<String, String> settings) {
    this.store = store;
    this.settings = settings;
  }

  /** A setting's text; null if it is not given. */
  public @Nullable String text(String key) {
    known.add(key);
    return settings.get(key);
  }

  public boolean bool(String key, boolean otherwise) throws IOException {
    String text = text(key);
    if (text == null) {
      return otherwise;
    }
    if (!text.equals("true") && !text.equals("false")) {
      throw error(key, "true or false");
    }
    return text.equals("true");
  }

  /** A number; a suffix {@code k}, {@code M}, {@code G}, {@code T} stands for powers of 1024. */
  public long number(String key, long min, long max, long otherwise) throws IOException {
    String text = text(key);
    if (text == null) {
      return otherwise;
    }
    int power = text.isEmpty() ? -1 : "kMGT".indexOf(text.charAt(text.length() - 1));
    String digits = power < 0 ? text : text.substring(0, text.length() - 1);
    if (digits.matches("\\d{1,15}")) {
      long value = Long.parseLong(digits);
      int shift = 10 * (power + 1);
      if (value <= max >> shift && value << shift >= min) {
        return value << shift;
      }
    }
    throw error(key, "a number from " + min + " to " + max + ", such as 500M");
  }

  /** Ends the reading; throws if a setting was not asked for. */
  public void end() throws IOException {
    TreeSet<String> unknown = new TreeSet<>(settings.keySet());
    unknown.removeAll(known);
    if (!unknown.isEmpty()) {
      throw new IOException(
          store + ": unknown settings of the store: " + unknown + ", expected some of " + known);
    }
  }

  public IOException error(String key, String expected) {
    return new IOException(store + ": setting " + key + ": expected " + expected);
  }
}
