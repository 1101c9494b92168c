import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Prints the flows of messages of topic "flows" as JSON, a line for each; NULLs are left out. Usage:
 * java Flows.java columns.csv [FILE...]; a file holds one message's value; none: standard input.
 */
public final class Flows { // docs/format/flow.md, "Flow batch, version 1"
  static final int CONSTANT = 1, NULLABLE = 3;
  static final int ADDRESS = 8, TEXT = 9, IPV4 = 64;
  static final int HEADER_BYTES = 88, ENTRY_BYTES = 12;
  static final int MOST_ROWS = 1 << 16, MOST_BYTES = 64 << 20, MOST_TEXT = 1024;
  static final Map<Integer, Integer> WIDTH =
      Map.of(1, 1, 2, 1, 3, 2, 4, 4, 5, 8, 6, 8, 7, 8, ADDRESS, 16, 10, 8, IPV4, 4);

  /** A column's own bytes. */
  record Column(String name, ByteBuffer part, int rows, int stored, int encoding) {
    int words() {
      return encoding == NULLABLE ? (rows + 63) / 64 * 8 : 0;
    }

    /** Where the texts begin, or the values end. */
    int end() {
      int slots = encoding == CONSTANT ? 1 : rows;
      return words() + (stored == TEXT ? 4 * (slots + 1) : slots * WIDTH.get(stored));
    }

    Column check() throws IOException {
      expect(encoding >= CONSTANT && encoding <= NULLABLE, name + ": unknown encoding");
      expect(stored == TEXT || WIDTH.containsKey(stored), name + ": unknown stored type");
      expect(end() <= part.limit(), name + ": too short for its rows");
      int start = 0;
      for (int at = words(); stored == TEXT && at < end(); at += 4) {
        int end = part.getInt(at);
        boolean isPlace = end >= start && end - start <= MOST_TEXT && end <= part.limit() - end();
        expect(isPlace && (at > words() || end == 0), name + ": a text lies outside");
        start = end;
      }
      return this;
    }

    /** The value as JSON; null for NULL. */
    String json(int row) throws CharacterCodingException {
      if (encoding == NULLABLE && (part.get(row >> 3) >> (row & 7) & 1) == 0) {
        return null;
      }
      int at = words() + (encoding == CONSTANT ? 0 : row) * (stored == TEXT ? 4 : WIDTH.get(stored));
      return switch (stored) {
        case 1 -> part.get(at) == 0 ? "false" : "true";
        case 2 -> Integer.toString(part.get(at) & 0xFF);
        case 3 -> Integer.toString(part.getShort(at) & 0xFFFF);
        case 4 -> Long.toString(part.getInt(at) & 0xFFFF_FFFFL);
        case IPV4 -> '"' + ipv4(part.getInt(at)) + '"';
        case ADDRESS -> '"' + address(part.getLong(at), part.getLong(at + 8)) + '"';
        case TEXT -> text(part.slice(end() + part.getInt(at), part.getInt(at + 4) - part.getInt(at)));
        default -> Long.toString(part.getLong(at));
      };
    }
  }

  static void expect(boolean holds, String problem) throws IOException {
    if (!holds) {
      throw new IOException(problem);
    }
  }

  static String ipv4(int ip) {
    return (ip >>> 24) + "." + (ip >>> 16 & 0xFF) + "." + (ip >>> 8 & 0xFF) + "." + (ip & 0xFF);
  }

  static String address(long high, long low) { // RFC 5952
    if (high == 0 && low >>> 32 == 0xFFFF) {
      return ipv4((int) low);
    }
    String[] groups = new String[8];
    for (int i = 0; i < 8; i++) {
      groups[i] = Long.toHexString((i < 4 ? high : low) >>> 48 - 16 * (i & 3) & 0xFFFF);
    }
    int from = 0, most = 1; // the first of the longest runs of zeros
    for (int i = 0, run = 0; i < 8; i++) {
      run = groups[i].equals("0") ? run + 1 : 0;
      if (run > most) {
        most = run;
        from = i + 1 - run;
      }
    }
    List<String> all = List.of(groups);
    return most == 1
        ? String.join(":", all)
        : String.join(":", all.subList(0, from)) + "::" + String.join(":", all.subList(from + most, 8));
  }

  static String text(ByteBuffer utf8) throws CharacterCodingException { // anything else is refused
    return StandardCharsets.UTF_8.newDecoder().decode(utf8).chars()
        .mapToObj(c -> c < ' ' || c == '"' || c == '\\' ? String.format("\\u%04x", c) : "" + (char) c)
        .collect(Collectors.joining("", "\"", "\""));
  }

  static void print(byte[] bytes, Map<Integer, String> names, PrintStream out) throws IOException {
    ByteBuffer value = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    expect(bytes.length >= HEADER_BYTES && bytes.length <= MOST_BYTES, "no flow batch");
    expect(value.getInt(0) == 0x42574C46, "the first four bytes are not 'FLWB'");
    expect(value.getShort(4) == 1, "version " + value.getShort(4) + ", this reads version 1");
    expect(value.getInt(80) == bytes.length, "it does not say that it has " + bytes.length + " bytes");
    int rows = value.getInt(8);
    expect(rows >= 0 && rows <= MOST_ROWS, rows + " rows, expected at most " + MOST_ROWS);
    int begin = HEADER_BYTES + (value.getShort(12) & 0xFFFF) * ENTRY_BYTES;
    expect(begin <= bytes.length, "no room for the directory of columns");
    Map<String, Column> columns = new LinkedHashMap<>();
    for (int at = HEADER_BYTES; at < begin; at += ENTRY_BYTES) {
      String name = names.get(value.get(at) & 0xFF);
      if (name == null) {
        continue; // a column of a later version, or of one's own
      }
      long offset = value.getInt(at + 4) & 0xFFFF_FFFFL, size = value.getInt(at + 8) & 0xFFFF_FFFFL;
      boolean isInside = offset >= begin && offset % 8 == 0 && offset + size <= bytes.length;
      expect(isInside && !columns.containsKey(name), name + ": stands twice or lies outside");
      ByteBuffer part = value.slice((int) offset, (int) size).order(ByteOrder.LITTLE_ENDIAN);
      int stored = value.get(at + 1) & 0xFF, encoding = value.get(at + 2) & 0xFF;
      columns.put(name, new Column(name, part, rows, stored, encoding).check());
    }
    for (int row = 0; row < rows; row++) {
      StringBuilder flow = new StringBuilder();
      for (Column column : columns.values()) {
        String json = column.json(row);
        if (json != null) {
          flow.append(flow.isEmpty() ? "{\"" : ",\"").append(column.name()).append("\":").append(json);
        }
      }
      out.println(flow.isEmpty() ? "{}" : flow.append('}'));
    }
  }

  public static void main(String[] args) throws IOException {
    Map<Integer, String> names =
        Files.readAllLines(Path.of(args[0])).stream().skip(1).map(line -> line.split(","))
            .collect(Collectors.toMap(line -> Integer.valueOf(line[0]), line -> line[1]));
    try (PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8)) {
      for (int i = 1; i < Math.max(2, args.length); i++) {
        boolean isFile = i < args.length;
        print(isFile ? Files.readAllBytes(Path.of(args[i])) : System.in.readAllBytes(), names, out);
      }
    } catch (IOException e) {
      System.err.println(e.getMessage() == null ? "a text is not UTF-8" : e.getMessage());
      System.exit(1);
    }
  }
}
