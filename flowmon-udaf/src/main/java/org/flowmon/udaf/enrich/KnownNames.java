package org.flowmon.udaf.enrich;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** Names that need no file: of protocols and of the ports of well-known services. */
public final class KnownNames {
  private static final Map<Long, String> PROTOCOLS = read("protocols.tsv");
  private static final Map<Long, String> PORTS = read("ports.tsv");
  private static final Lookup OF_PROTOCOLS = new CodeTexts(PROTOCOLS);
  private static final Lookup OF_PORTS = new PortTexts(PORTS);

  private KnownNames() {}

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
