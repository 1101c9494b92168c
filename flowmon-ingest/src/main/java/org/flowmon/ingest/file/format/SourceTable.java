package org.flowmon.ingest.file.format;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.file.format.TextColumn.Form;
import org.jspecify.annotations.Nullable;

/**
 * The sources that flowmon knows: {@code sources.txt} beside this class, whose head explains its
 * lines.
 */
public final class SourceTable {
  private static final Map<String, FlowSource> SOURCES = new LinkedHashMap<>();
  private static final Map<String, Long> PROTOCOLS = new TreeMap<>();

  static {
    load();
  }

  /** Flowmon's own names and those of many other programs. */
  static final FlowSource FLOWS = Objects.requireNonNull(SOURCES.get("flows"));

  /** Names of IP protocols. */
  public static final Words PROTOCOL_NAMES = new Words(PROTOCOLS);

  private SourceTable() {}

  /** All sources, in the table's order. */
  static List<FlowSource> all() {
    return List.copyOf(SOURCES.values());
  }

  public static Optional<FlowSource> byName(String name) {
    return Optional.ofNullable(SOURCES.get(name.toLowerCase(Locale.ROOT)));
  }

  public static List<String> names() {
    return List.copyOf(SOURCES.keySet());
  }

  private static void load() {
    try (InputStream in = SourceTable.class.getResourceAsStream("sources.txt");
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(
                    Objects.requireNonNull(in, "sources.txt is beside the class"),
                    StandardCharsets.UTF_8))) {
      FlowSource.@Nullable Builder open = null;
      int number = 0;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        number++;
        int comment = line.indexOf('#');
        String text = (comment < 0 ? line : line.substring(0, comment)).strip();
        if (text.isEmpty()) {
          continue;
        }
        String[] words = text.split("\\s+", -1);
        try {
          if (words[0].equals("protocols")) {
            numbers(words, 1).forEach(PROTOCOLS::put);
          } else if (words[0].equals("source")) {
            close(open);
            open = new FlowSource.Builder(words[1]);
            for (int i = 2; i < words.length; i++) {
              open.shapes.add(FlowSource.Shape.valueOf(words[i].toUpperCase(Locale.ROOT)));
            }
          } else {
            take(Objects.requireNonNull(open, "a source comes first"), words);
          }
        } catch (RuntimeException e) {
          throw new IllegalStateException("sources.txt, line " + number + ": " + text, e);
        }
      }
      close(open);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void close(FlowSource.@Nullable Builder open) {
    if (open != null) {
      SOURCES.put(open.name, open.build());
    }
  }

  private static void take(FlowSource.Builder source, String[] words) {
    List<String> rest = List.of(words).subList(1, words.length);
    switch (words[0]) {
      case "@known" -> source.known.add(rest);
      case "@header" -> source.header = rest;
      case "@exactly" -> {
        source.header = rest;
        source.isExact = true;
      }
      case "@refuse" -> source.refusal = String.join(" ", rest);
      case "@null" -> source.nullText = words[1];
      case "@others" -> rest.forEach(count -> source.otherFields.add(Integer.valueOf(count)));
      case "@icmp_in_dst_port" -> source.hasIcmpInPort = true;
      default -> {
        for (String name : words[0].split(",", -1)) {
          source.columns.put(name, column(name, words));
        }
      }
    }
  }

  /** Of {@code NAME COLUMN [FORM] [zero] [spare] [WORD=NUMBER…]}. */
  private static TextColumn column(String name, String[] words) {
    if (words[1].equals("-")) {
      return TextColumn.leftOut(name);
    }
    if (words[1].equals("only")) {
      Map<String, Long> values = new HashMap<>();
      for (int i = 2; i < words.length; i++) {
        values.put(words[i], 1L);
      }
      return new TextColumn(name, null, Form.ONLY, false, false, new Words(values));
    }
    FlowColumn column = FlowColumn.byName(words[1]);
    if (column == null) {
      throw new IllegalArgumentException("no column " + words[1]);
    }
    Form form = TextColumn.form(column);
    boolean zero = false;
    boolean spare = false;
    List<String> codes = new ArrayList<>();
    for (int i = 2; i < words.length; i++) {
      switch (words[i]) {
        case "zero" -> zero = true;
        case "spare" -> spare = true;
        default -> {
          if (words[i].indexOf('=') > 0) {
            codes.add(words[i]);
            form = Form.CODE;
          } else {
            form = form(words[i], column);
          }
        }
      }
    }
    Words names = new Words(numbers(codes.toArray(String[]::new), 0));
    return new TextColumn(name, column, form, zero, spare, names);
  }

  private static Map<String, Long> numbers(String[] words, int first) {
    Map<String, Long> numbers = new LinkedHashMap<>();
    for (int i = first; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      numbers.put(words[i].substring(0, equals), Long.valueOf(words[i].substring(equals + 1)));
    }
    return numbers;
  }

  private static Form form(String word, FlowColumn column) {
    boolean time = column.type() == ColumnType.TIMESTAMP;
    return switch (word) {
      case "s" -> time ? Form.TIME : Form.SECONDS;
      case "ms" -> time ? Form.TIME_MILLIS : Form.MILLIS;
      case "us" -> time ? Form.TIME_MICROS : Form.MICROS;
      case "ns" -> Form.TIME_NANOS;
      case "any" -> Form.TIME_ANY;
      case "0x" -> Form.DECIMAL_OR_HEX;
      default -> Form.valueOf(word.toUpperCase(Locale.ROOT));
    };
  }
}
