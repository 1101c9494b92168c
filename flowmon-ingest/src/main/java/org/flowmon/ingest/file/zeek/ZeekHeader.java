package org.flowmon.ingest.file.zeek;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.flowmon.ingest.file.format.RejectReason;

/**
 * The header lines of a TSV log so far. They may recur anywhere in a file of joined logs: {@code
 * #separator} begins a new header, any other line replaces its predecessor.
 */
final class ZeekHeader {
  private static final int MAX_FIELDS = 1024;

  private byte separator = '\t';
  private byte[] unset = {'-'};
  private byte[] empty = "(empty)".getBytes(StandardCharsets.UTF_8);
  private String path = "";
  private boolean seen;
  private ZeekField[] fields;
  private RejectReason unusable;
  private String problem = "";

  /** Where a header line or comment begins; {@code to} if the line is neither. */
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

  /**
   * Takes a line that begins with {@code #}.
   *
   * @return null, or why it is unusable; then the values after it cannot be read either
   */
  RejectReason take(byte[] bytes, int from, int to) {
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
    return null;
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

  private RejectReason separator(String value) {
    byte[] unescaped = ZeekEscapes.unescape(value.strip().getBytes(StandardCharsets.UTF_8));
    fields = null;
    if (unescaped.length != 1) {
      return refuse("the separator '" + value + "' has " + unescaped.length + " bytes, expected 1");
    }
    seen = true;
    unusable = null;
    separator = unescaped[0];
    unset = new byte[] {'-'};
    empty = "(empty)".getBytes(StandardCharsets.UTF_8);
    path = "";
    return null;
  }

  private RejectReason fields(String value) {
    String[] names = value.split(java.util.regex.Pattern.quote(separatorText()), -1);
    fields = null;
    unusable = null;
    seen = true;
    if (names.length > MAX_FIELDS) {
      return refuse(names.length + " fields, expected at most " + MAX_FIELDS);
    }
    ZeekField[] found = new ZeekField[names.length];
    int set = 0;
    for (int i = 0; i < names.length; i++) {
      ZeekField field = ZeekField.byName(names[i]);
      if (field != null && (set & field.bit()) == 0) {
        found[i] = field; // of two columns with one meaning the first counts
        set |= field.bit();
      }
    }
    fields = found;
    judge(set);
    return null;
  }

  /** Decides whether lines under these fields can be flows. */
  private void judge(int set) {
    boolean connections = path.startsWith("conn");
    for (ZeekField field : ZeekField.OF_CONNECTIONS) {
      connections |= (set & field.bit()) != 0;
    }
    int needed = ZeekField.TS.bit() | ZeekField.ORIG_H.bit() | ZeekField.RESP_H.bit();
    if (!connections) {
      unusable = RejectReason.OTHER_LOG;
      problem = "the log '" + path + "' has no field of connections";
    } else if ((set & needed) != needed) {
      unusable = RejectReason.MISSING_FIELDS;
      problem = "the log lacks one of ts, id.orig_h, id.resp_h";
    }
  }

  private RejectReason types(String value) {
    int types = value.split(java.util.regex.Pattern.quote(separatorText()), -1).length;
    if (fields != null && types != fields.length) {
      int names = fields.length;
      fields = null;
      return refuse("#types has " + types + " values, #fields " + names);
    }
    return null;
  }

  private RejectReason refuse(String why) {
    seen = true;
    unusable = RejectReason.BAD_HEADER;
    problem = why;
    return RejectReason.BAD_HEADER;
  }

  private String separatorText() {
    return String.valueOf((char) (separator & 0xFF));
  }

  /** Why no line under this header can be a flow; null if it can. */
  RejectReason unusable() {
    return fields == null && unusable == null ? RejectReason.NO_HEADER : unusable;
  }

  String problem() {
    return fields == null && unusable == null
        ? "values without a #fields line before them"
        : problem;
  }

  /** Whether there was a header line that defines the form of values. */
  boolean seen() {
    return seen;
  }

  byte separator() {
    return separator;
  }

  /** The field of each place in a line, null if it is not used. */
  ZeekField[] fields() {
    return fields;
  }

  boolean isUnset(byte[] bytes, int from, int to) {
    return Arrays.equals(bytes, from, to, unset, 0, unset.length);
  }

  boolean isEmpty(byte[] bytes, int from, int to) {
    return Arrays.equals(bytes, from, to, empty, 0, empty.length);
  }
}
