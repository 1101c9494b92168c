package org.flowmon.jobs.enrich;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;

/**
 * A small CSV file in UTF-8: a line of column names, then rows. A field may be in double quotes,
 * with a quote doubled; no field goes over a line. Empty lines and those that begin with {@code #}
 * are left out.
 */
final class CsvFile {
  static final int MAX_BYTES = 64 << 20;

  private static final int MAX_ROWS = 1_000_000;
  private static final int MAX_TEXT = 255;

  /** A row; {@code line} counts from 1. */
  record Row(int line, List<String> fields) {
    EnrichmentException error(String message) {
      return new EnrichmentException(line + ": " + message);
    }

    String text(int column) {
      String text = fields.get(column);
      if (text.length() > MAX_TEXT) {
        throw error(
            "a text of %d characters, expected at most %d".formatted(text.length(), MAX_TEXT));
      }
      return text;
    }

    /** A prefix, or an address for itself alone. */
    IpPrefix prefix(int column) {
      String text = text(column);
      try {
        return IpPrefix.parse(text);
      } catch (IllegalArgumentException e) {
        throw error("expected a network such as 192.0.2.0/24, found '" + text + "'");
      }
    }

    IpAddress address(int column) {
      IpAddress address = IpAddress.parseOrNull(text(column));
      if (address == null) {
        throw error("expected an address such as 192.0.2.1, found '" + text(column) + "'");
      }
      return address;
    }

    long number(int column, long least, long most) {
      String text = text(column);
      long value = text.matches("[0-9]{1,10}") ? Long.parseLong(text) : -1;
      if (value < least || value > most) {
        throw error("expected a whole number %d … %d, found '%s'".formatted(least, most, text));
      }
      return value;
    }
  }

  private CsvFile() {}

  /**
   * Reads the rows, with fields in the order of {@code columns}; an optional column that is missing
   * is empty.
   *
   * @param columns names, those in {@code optional} may be missing
   */
  static List<Row> read(byte[] bytes, List<String> columns, List<String> optional) {
    List<Row> rows = new ArrayList<>();
    int[] places = {};
    int number = 0;
    for (String line : text(bytes).split("\n", -1)) {
      number++;
      String content = line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
      if (content.isBlank() || content.startsWith("#")) {
        continue;
      }
      List<String> fields = fields(content, number);
      if (places.length == 0) {
        places = places(fields, number, columns, optional);
        continue;
      }
      if (rows.size() == MAX_ROWS) {
        throw new EnrichmentException("has more than " + MAX_ROWS + " rows");
      }
      List<String> chosen = new ArrayList<>(places.length);
      for (int place : places) {
        if (place >= fields.size()) {
          throw new EnrichmentException(
              "%d: expected at least %d fields, found %d"
                  .formatted(number, place + 1, fields.size()));
        }
        chosen.add(place < 0 ? "" : fields.get(place).strip());
      }
      rows.add(new Row(number, List.copyOf(chosen)));
    }
    if (places.length == 0) {
      throw new EnrichmentException("1: expected a line of names: " + String.join(",", columns));
    }
    return rows;
  }

  private static String text(byte[] bytes) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return text.startsWith("\ufeff") ? text.substring(1) : text;
    } catch (CharacterCodingException e) {
      throw new EnrichmentException("is not UTF-8 text");
    }
  }

  private static int[] places(
      List<String> names, int line, List<String> columns, List<String> optional) {
    List<String> found = names.stream().map(name -> name.strip().toLowerCase(Locale.ROOT)).toList();
    List<String> missing = new ArrayList<>(columns);
    missing.removeAll(found);
    missing.removeAll(optional);
    if (!missing.isEmpty()) {
      throw new EnrichmentException(
          "%d: the line of names has no %s; expected %s, found %s"
              .formatted(
                  line,
                  String.join(" and no ", missing),
                  String.join(",", columns),
                  String.join(",", found)));
    }
    return columns.stream().mapToInt(found::indexOf).toArray();
  }

  private static List<String> fields(String line, int number) {
    List<String> fields = new ArrayList<>();
    StringBuilder field = new StringBuilder();
    boolean isQuoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (isQuoted && c == '"' && i + 1 < line.length() && line.charAt(i + 1) == '"') {
        field.append('"');
        i++;
      } else if (c == '"' && (isQuoted || field.toString().isBlank())) {
        isQuoted = !isQuoted;
      } else if (c == ',' && !isQuoted) {
        fields.add(field.toString());
        field.setLength(0);
      } else {
        field.append(c);
      }
    }
    if (isQuoted) {
      throw new EnrichmentException(number + ": a quote is not closed in this line");
    }
    fields.add(field.toString());
    return fields;
  }
}
