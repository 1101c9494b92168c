package org.flowmon.ingest.file.zeek;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.flowmon.ingest.file.format.Refusal;
import org.flowmon.ingest.file.format.RejectReason;
import org.jspecify.annotations.Nullable;

/**
 * The header lines of a TSV log so far, which recur in files of joined logs: {@code #separator}
 * begins a new header, any other line replaces its predecessor.
 */
final class ZeekHeader {
  static final int MAX_FIELDS = 1024;

  private byte separator = '\t';
  private byte[] unset = {'-'};
  private byte[] empty = "(empty)".getBytes(StandardCharsets.UTF_8);
  private String path = "";
  private boolean seen;
  private boolean usable;
  // The field of each place in a line, null if it is not used.
  private @Nullable ZeekField[] fields = {};
  private final Refusal refusal = new Refusal();

  ZeekHeader() {
    begin();
  }

  private boolean begin() {
    usable = false;
    fields = new ZeekField[0];
    return refusal.because(RejectReason.NO_HEADER, "values without a #fields line before them");
  }

  /** Where a header line or comment begins, else {@code to}. */
  int begin(byte[] bytes, int from, int to) {
    int first = seen ? from : firstOf(bytes, from, to);
    return first < to && bytes[first] == '#' ? first : to;
  }

  /** The first byte that is not blank: some logs have blanks before their first line. */
  static int firstOf(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to && (bytes[at] == ' ' || bytes[at] == '\t')) {
      at++;
    }
    return at;
  }

  /** A line of {@code #}; if false, the values after it cannot be read either. */
  boolean take(byte[] bytes, int from, int to) {
    String line = new String(bytes, from, to - from, StandardCharsets.UTF_8);
    String name = line.substring(0, nameEnd(line));
    String value = line.length() > name.length() ? line.substring(name.length() + 1) : "";
    switch (name) {
      case "#separator" -> {
        return separator(value);
      }
      case "#unset_field" -> unset = value.getBytes(StandardCharsets.UTF_8);
      case "#empty_field" -> empty = value.getBytes(StandardCharsets.UTF_8);
      case "#path" -> path = value;
      case "#fields" -> {
        return fields(value);
      }
      case "#types" -> {
        return types(value);
      }
      default -> {
        // #set_separator (no set is read), #open, #close and any other comment are not needed.
      }
    }
    return true;
  }

  private int nameEnd(String line) {
    int end = 0;
    while (end < line.length()
        && line.charAt(end) != ' '
        && line.charAt(end) != '\t'
        && line.charAt(end) != (separator & 0xFF)) {
      end++;
    }
    return end;
  }

  private boolean separator(String value) {
    byte[] unescaped = ZeekEscapes.unescape(value.strip().getBytes(StandardCharsets.UTF_8));
    begin();
    seen = true;
    if (unescaped.length != 1) {
      return refuse("the separator '" + value + "' has " + unescaped.length + " bytes, expected 1");
    }
    separator = unescaped[0];
    unset = new byte[] {'-'};
    empty = "(empty)".getBytes(StandardCharsets.UTF_8);
    path = "";
    return true;
  }

  private boolean fields(String value) {
    String[] names = value.split(java.util.regex.Pattern.quote(separatorText()), -1);
    begin();
    seen = true;
    if (names.length > MAX_FIELDS) {
      return refuse(names.length + " fields, expected at most " + MAX_FIELDS);
    }
    fields = new ZeekField[names.length];
    int set = 0;
    for (int i = 0; i < names.length; i++) {
      ZeekField field = ZeekField.byName(names[i]);
      if (field != null && (set & field.bit()) == 0) {
        fields[i] = field; // of two columns with one meaning the first counts
        set |= field.bit();
      }
    }
    judge(set);
    return true;
  }

  private void judge(int set) {
    boolean connections = path.startsWith("conn");
    for (ZeekField field : ZeekField.OF_CONNECTIONS) {
      connections |= (set & field.bit()) != 0;
    }
    int needed = ZeekField.TS.bit() | ZeekField.ORIG_H.bit() | ZeekField.RESP_H.bit();
    usable = connections && (set & needed) == needed;
    if (!connections) {
      refusal.because(RejectReason.OTHER_LOG, "the log '" + path + "' has no field of connections");
    } else if (!usable) {
      refusal.because(RejectReason.MISSING_FIELDS, "the log lacks one of ts, id.orig_h, id.resp_h");
    }
  }

  private boolean types(String value) {
    int types = value.split(java.util.regex.Pattern.quote(separatorText()), -1).length;
    return fields.length == 0
        || types == fields.length
        || refuse("#types has " + types + " values, #fields " + fields.length);
  }

  private boolean refuse(String why) {
    seen = true;
    usable = false;
    fields = new ZeekField[0];
    return refusal.because(RejectReason.BAD_HEADER, why);
  }

  private String separatorText() {
    return String.valueOf((char) (separator & 0xFF));
  }

  boolean isUsable() {
    return usable;
  }

  /** Why lines cannot be flows, if not {@link #isUsable}. */
  Refusal refusal() {
    return refusal;
  }

  boolean seen() {
    return seen;
  }

  byte separator() {
    return separator;
  }

  @Nullable ZeekField[] fields() {
    return fields;
  }

  boolean isUnset(byte[] bytes, int from, int to) {
    return isEqual(bytes, from, to, unset);
  }

  boolean isEmpty(byte[] bytes, int from, int to) {
    return isEqual(bytes, from, to, empty);
  }

  private static boolean isEqual(byte[] bytes, int from, int to, byte[] text) {
    if (to - from != text.length) {
      return false; // as most: the call takes longer
    }
    return text.length == 1
        ? bytes[from] == text[0]
        : Arrays.equals(bytes, from, to, text, 0, text.length);
  }
}
