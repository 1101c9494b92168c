package org.flowmon.ingest.decode.record;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.flowmon.ingest.decode.record.InformationElement.Transform;

/**
 * The elements of {@code elements.tsv}: IANA's by number and name, and those of vendors that become
 * a column. Enterprise 0 has IANA's and, from 32768 on, the types of NetFlow v9 only; 29305 has the
 * reverse ones (RFC 5103 section 6.1). A line has
 *
 * <pre>
 * enterprise | element | name | type | unit | slot or - | rank in it | transform or -
 * </pre>
 *
 * <p>An element with two slots has two lines. The file is read and checked once, at the first use.
 */
final class ElementRegistry {
  private static final String FILE = "elements.tsv";
  private static final int FIELDS = 8;
  private static final Set<String> TYPES =
      Set.of(
          ("unsigned8 unsigned16 unsigned32 unsigned64 signed8 signed16 signed32 signed64 float32"
                  + " float64 boolean macAddress octetArray string dateTimeSeconds"
                  + " dateTimeMilliseconds dateTimeMicroseconds dateTimeNanoseconds ipv4Address"
                  + " ipv6Address basicList subTemplateList subTemplateMultiList")
              .split(" "));

  private static final Map<Long, List<InformationElement>> USES = parse(lines());

  private ElementRegistry() {}

  /** What the element becomes; empty if it is not decoded. */
  static List<InformationElement> uses(int enterprise, int element) {
    return USES.getOrDefault(key(enterprise, element), List.of());
  }

  private static long key(int enterprise, int element) {
    return (enterprise & 0xFFFF_FFFFL) << 32 | (element & 0xFFFF_FFFFL);
  }

  /** What a line says of an element itself. */
  record Known(int enterprise, int element, String type, String unit) {}

  /** By its name in the file, the letters' case aside. Reads the file anew. */
  static Optional<Known> named(String name) {
    return lines().stream()
        .skip(1) // the header
        .map(line -> line.split("\t", -1))
        .filter(fields -> fields[2].equalsIgnoreCase(name))
        .findFirst()
        .map(
            fields ->
                new Known(
                    Integer.parseUnsignedInt(fields[0]),
                    Integer.parseInt(fields[1]),
                    fields[3],
                    fields[4]));
  }

  private static List<String> lines() {
    try (InputStream in = ElementRegistry.class.getResourceAsStream(FILE)) {
      return new BufferedReader(
              new InputStreamReader(
                  Objects.requireNonNull(in, FILE + " is missing from the jar"),
                  StandardCharsets.UTF_8))
          .lines()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(FILE + " cannot be read", e);
    }
  }

  /** The uses by enterprise and element; throws {@link IllegalStateException} with the line. */
  static Map<Long, List<InformationElement>> parse(List<String> lines) {
    Map<Long, List<InformationElement>> uses = new HashMap<>();
    Map<Long, String> names = new HashMap<>();
    for (int i = 1; i < lines.size(); i++) { // after the header
      try {
        add(lines.get(i).split("\t", -1), uses, names);
      } catch (IllegalArgumentException e) {
        throw new IllegalStateException(
            FILE + ", line " + (i + 1) + ": " + e.getMessage() + ": " + lines.get(i), e);
      }
    }
    return uses;
  }

  private static void add(
      String[] fields, Map<Long, List<InformationElement>> uses, Map<Long, String> names) {
    require(fields.length == FIELDS, "expected " + FIELDS + " fields");
    long key = key(Integer.parseUnsignedInt(fields[0]), Integer.parseInt(fields[1]));
    String name = fields[2];
    require(names.getOrDefault(key, name).equals(name), "the element has another name above");
    require(TYPES.contains(fields[3]), "unknown type");
    boolean repeated = names.put(key, name) != null;
    if (fields[5].equals("-")) {
      require(!repeated, "the element stands above");
      return;
    }
    Slot slot = slot(fields[5]);
    require(slot.takesType(fields[3]), slot + " does not take the type");
    InformationElement use =
        new InformationElement(slot, Integer.parseInt(fields[6]), Transform.of(fields[7]));
    List<InformationElement> all = uses.computeIfAbsent(key, k -> new ArrayList<>(1));
    require(all.stream().noneMatch(other -> other.slot() == slot), "the slot stands above");
    all.add(use);
  }

  private static Slot slot(String name) {
    for (Slot slot : Slot.ALL) {
      if (slot.name().equals(name.toUpperCase(Locale.ROOT))) {
        return slot;
      }
    }
    throw new IllegalArgumentException("no slot '" + name + "' among the constants of Slot");
  }

  private static void require(boolean isTrue, String what) {
    if (!isTrue) {
      throw new IllegalArgumentException(what);
    }
  }
}
