package org.flowmon.udaf.enrich;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Names that need no file: of protocols and of the ports of well-known services. */
public final class KnownNames {
  private static final Map<Long, String> PROTOCOLS = read("protocols.tsv");
  private static final Map<Long, String> PORTS = read("ports.tsv");
  private static final Lookup OF_PROTOCOLS = new CodeTexts(PROTOCOLS);
  private static final Lookup OF_PORTS = new PortTexts(PORTS);

  private static final String FLAGS = "FSRPAUEC"; // from the lowest bit

  private static final Map<String, Long> PROTOCOL_CODES = codes(PROTOCOLS);
  private static final Map<String, Long> PORT_CODES = codes(PORTS);

  private KnownNames() {}

  /** The name of a protocol; null if it has none. */
  public static @Nullable String protocol(long protocol) {
    return PROTOCOLS.get(protocol);
  }

  /** The name of a service at a port of TCP or, if that has none, of UDP; null if neither has. */
  public static @Nullable String port(long port) {
    String name = PORTS.get(6L << 16 | port);
    return name != null ? name : PORTS.get(17L << 16 | port);
  }

  /** The names of all protocols that have one. */
  public static Map<Long, String> protocols() {
    return PROTOCOLS;
  }

  /** The names of all ports that {@link #port} knows. */
  public static Map<Long, String> ports() {
    Map<Long, String> names = new TreeMap<>();
    PORTS.keySet().forEach(code -> names.computeIfAbsent(code & 0xFFFF, KnownNames::port));
    return names;
  }

  private static Map<String, Long> codes(Map<Long, String> names) {
    Map<String, Long> codes = new HashMap<>();
    names.forEach((code, name) -> codes.put(name.toLowerCase(Locale.ROOT), code & 0xFFFF));
    return Map.copyOf(codes);
  }

  /**
   * The code that a text names in a column of protocols ({@code 'tcp'}), ports ({@code 'https'}) or
   * TCP flags ({@code 'SA'}: letters of FSRPAUEC, and no other flag); empty of another column.
   *
   * @throws IllegalArgumentException if it names none
   */
  public static OptionalLong code(String column, String text) {
    if (column.endsWith("tcp_flags")) {
      return OptionalLong.of(flags(text));
    }
    boolean isPort = column.endsWith("_port");
    if (!isPort && !column.equals("protocol")) {
      return OptionalLong.empty();
    }
    Long code = (isPort ? PORT_CODES : PROTOCOL_CODES).get(text.toLowerCase(Locale.ROOT));
    if (code == null) {
      throw new IllegalArgumentException(
          isPort
              ? "expected a port's number, or its service's name such as 'https' or 'domain';"
                  + " found '"
                  + text
                  + "'"
              : "expected a protocol's number, or its name such as 'tcp', 'udp' or 'icmp'; found '"
                  + text
                  + "'");
    }
    return OptionalLong.of(code);
  }

  /** The letters of TCP flags that are set, from FIN upwards, as {@code SA}; {@code -} without. */
  public static String flags(long bits) {
    StringBuilder letters = new StringBuilder();
    for (int i = 0; i < FLAGS.length(); i++) {
      letters.append((bits >> i & 1) == 0 ? "" : FLAGS.charAt(i));
    }
    return letters.isEmpty() ? "-" : letters.toString();
  }

  private static long flags(String text) {
    long flags = 0;
    for (int i = 0; i < text.length(); i++) {
      int bit = FLAGS.indexOf(Character.toUpperCase(text.charAt(i)));
      if (bit < 0) {
        throw new IllegalArgumentException(
            "expected TCP flags as a number, or by letters of FSRPAUEC such as 'SA'; found '"
                + text
                + "'");
      }
      flags |= 1L << bit;
    }
    return flags;
  }

  static Lookup of(EnrichedColumn.Table table) {
    return switch (table) {
      case PROTOCOL_NAME -> OF_PROTOCOLS;
      case PORT_NAME -> OF_PORTS;
      default -> Lookup.NONE;
    };
  }

  /** The known names of ports with others in place of some and beside them. */
  public static Lookup ports(Map<Long, String> others) {
    Map<Long, String> all = new HashMap<>(PORTS);
    all.putAll(others);
    all.values().removeIf(String::isEmpty); // an empty name is none
    return new PortTexts(all);
  }

  /** Lines of a number and a name or, of ports, of a protocol, a port and a name. */
  private static Map<Long, String> read(String resource) {
    Map<Long, String> names = new HashMap<>();
    try (InputStream in = KnownNames.class.getResourceAsStream(resource);
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(
                    Objects.requireNonNull(in, resource), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] parts = line.split("\t", -1);
        long code = Long.parseLong(parts[0]);
        if (parts.length == 3) {
          code = code << 16 | Long.parseLong(parts[1]);
        }
        names.put(code, parts[parts.length - 1]);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Map.copyOf(names);
  }
}
