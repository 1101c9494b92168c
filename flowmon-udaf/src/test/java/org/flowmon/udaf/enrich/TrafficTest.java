package org.flowmon.udaf.enrich;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.enrich.TrafficDirections.Sign;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import org.junit.jupiter.api.Test;

/** Directions and duplicates against a flow by flow search. */
class TrafficTest {
  private static final long SEED = 7;

  private final Random random = new Random(SEED);
  private final List<Flow> flows = flows();
  private final Map<ExporterTexts.Key, String> classes = classes();
  private final ExporterTexts boundaries = new ExporterTexts(true, classes);

  /** Null for what is unknown. */
  private record Flow(
      IpAddress exporter,
      Long input,
      Long output,
      IpAddress source,
      IpAddress destination,
      Long direction) {}

  private <T> T orNull(T value) {
    return random.nextInt(6) == 0 ? null : value;
  }

  private IpAddress address() {
    return random.nextInt(4) == 0
        ? new IpAddress(0x2001_0db8_0000_0000L, random.nextInt(8))
        : IpAddress.ofIpv4(0x0a00_0000 + random.nextInt(16));
  }

  private List<Flow> flows() {
    List<Flow> all = new ArrayList<>();
    for (int i = 0; i < Vector.CAPACITY; i++) {
      all.add(
          new Flow(
              orNull(IpAddress.ofIpv4(0xc000_0200 + random.nextInt(3))),
              orNull((long) random.nextInt(4)),
              orNull((long) random.nextInt(4)),
              orNull(address()),
              orNull(address()),
              orNull((long) random.nextInt(3))));
    }
    return all;
  }

  private static Map<ExporterTexts.Key, String> classes() {
    Map<ExporterTexts.Key, String> classes = new HashMap<>();
    for (int router = 0; router < 3; router++) {
      IpAddress exporter = IpAddress.ofIpv4(0xc000_0200 + router);
      classes.put(new ExporterTexts.Key(exporter, 0), "external");
      classes.put(new ExporterTexts.Key(exporter, 1), "internal");
      classes.put(new ExporterTexts.Key(exporter, 2), router == 0 ? "lab" : "internal");
    }
    return classes;
  }

  private static Vector addresses(List<IpAddress> all) {
    Vector vector = new Vector(ValueKind.ADDRESS);
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i) != null) {
        vector.requireHigh()[i] = all.get(i).hi();
        vector.values()[i] = all.get(i).lo();
        vector.validity()[i >>> 6] |= 1L << i;
      }
    }
    vector.settleValidity(all.size());
    return vector;
  }

  private static Vector numbers(List<Long> all) {
    Vector vector = new Vector(ValueKind.LONG);
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i) != null) {
        vector.values()[i] = all.get(i);
        vector.validity()[i >>> 6] |= 1L << i;
      }
    }
    vector.settleValidity(all.size());
    return vector;
  }

  private static <T> List<T> each(List<Flow> flows, Function<Flow, T> of) {
    List<T> all = new ArrayList<>();
    flows.forEach(flow -> all.add(of.apply(flow)));
    return all;
  }

  private Vector[] keys() {
    return new Vector[] {
      addresses(each(flows, Flow::exporter)),
      numbers(each(flows, Flow::input)),
      numbers(each(flows, Flow::output)),
      addresses(each(flows, Flow::source)),
      addresses(each(flows, Flow::destination)),
      numbers(each(flows, Flow::direction))
    };
  }

  private static AddressTable table(int first, int last) {
    AddressTable.Builder table = new AddressTable.Builder();
    table.addIpv4(first, last, 0);
    return table.build();
  }

  private String boundary(Flow flow, Long index) {
    return flow.exporter() == null || index == null
        ? null
        : classes.get(new ExporterTexts.Key(flow.exporter(), index));
  }

  private static String direction(boolean from, boolean to) {
    return from && to ? "internal" : from ? "out" : to ? "in" : "transit";
  }

  private static boolean isInside(IpAddress address) {
    return address != null && address.isIpv4() && (int) address.lo() < 0x0a00_0008;
  }

  private String expected(Flow flow, Sign sign) {
    return switch (sign) {
      case INTERFACES -> {
        String in = boundary(flow, flow.input());
        String out = boundary(flow, flow.output());
        List<String> known = List.of("internal", "external");
        yield in == null || out == null || !known.contains(in) || !known.contains(out)
            ? null
            : direction(in.equals("internal"), out.equals("internal"));
      }
      case NETWORKS ->
          flow.source() == null || flow.destination() == null
              ? null
              : direction(isInside(flow.source()), isInside(flow.destination()));
      case FLOW_DIRECTION ->
          flow.direction() == null || flow.direction() > 1
              ? null
              : flow.direction() == 0 ? "in" : "out";
    };
  }

  @Test
  void theFirstSignThatKnowsTheDirectionTellsIt() {
    AddressTable inside = table(0x0a00_0000, 0x0a00_0007);
    for (List<Sign> signs :
        List.of(
            List.of(Sign.INTERFACES),
            List.of(Sign.NETWORKS, Sign.INTERFACES),
            List.of(Sign.INTERFACES, Sign.NETWORKS, Sign.FLOW_DIRECTION),
            List.of(Sign.FLOW_DIRECTION, Sign.NETWORKS))) {
      Vector out = new Vector(ValueKind.TEXT);
      new TrafficDirections(signs, inside, boundaries).fill(keys(), flows.size(), out);
      Set<String> seen = new HashSet<>();
      for (int i = 0; i < flows.size(); i++) {
        String expected = null;
        for (Sign sign : signs) {
          expected = expected == null ? expected(flows.get(i), sign) : expected;
        }
        String found = out.isValid(i) ? out.requireTexts()[i] : null;
        assertEquals(expected, found, "seed " + SEED + ", " + signs + ": " + flows.get(i));
        seen.add(found);
      }
      assertTrue(seen.containsAll(List.of("in", "out", "internal", "transit")), seen.toString());
    }
  }

  private static Duplicates.Rule rule(
      Optional<AddressTable> either,
      Optional<AddressTable> from,
      Optional<AddressTable> to,
      Optional<AddressTable> exporters,
      Optional<String> in,
      Optional<Long> direction) {
    return new Duplicates.Rule(either, from, to, exporters, in, Optional.empty(), direction);
  }

  @Test
  void theFirstRuleForAFlowSaysWhetherItCounts() {
    Optional<AddressTable> none = Optional.empty();
    Optional<AddressTable> few = Optional.of(table(0x0a00_0000, 0x0a00_0001));
    Optional<AddressTable> inside = Optional.of(table(0x0a00_0000, 0x0a00_0007));
    Optional<AddressTable> one = Optional.of(table(0xc000_0201, 0xc000_0201));
    List<Duplicates.Rule> rules =
        List.of(
            rule(few, none, none, one, Optional.empty(), Optional.empty()),
            rule(none, inside, inside, none, Optional.of("internal"), Optional.of(0L)),
            rule(none, inside, none, none, Optional.empty(), Optional.of(1L)));
    Vector out = new Vector(ValueKind.BOOLEAN);
    new Duplicates(rules, boundaries).fill(keys(), flows.size(), out);
    assertTrue(out.allValid());
    int[] duplicates = {0, 0};
    for (int i = 0; i < flows.size(); i++) {
      Flow flow = flows.get(i);
      boolean counts;
      if (flow.exporter() == null) {
        counts = true;
      } else if (isFew(flow.source()) || isFew(flow.destination())) {
        counts = flow.exporter().equals(IpAddress.parse("192.0.2.1"));
      } else if (isInside(flow.source()) && isInside(flow.destination())) {
        counts =
            "internal".equals(boundary(flow, flow.input()))
                && Long.valueOf(0).equals(flow.direction());
      } else if (isInside(flow.source())) {
        counts = Long.valueOf(1).equals(flow.direction());
      } else {
        counts = true;
      }
      assertEquals(counts ? 0 : 1, out.values()[i], "seed " + SEED + ": " + flow);
      duplicates[counts ? 0 : 1]++;
    }
    assertTrue(duplicates[0] > 50 && duplicates[1] > 50, duplicates[0] + " count");
  }

  private static boolean isFew(IpAddress address) {
    return address != null && address.isIpv4() && (int) address.lo() < 0x0a00_0002;
  }

  @Test
  void aTableCompletesStoredTextsAndComesBeforeThem() {
    Lookup table =
        new CompletedTexts(
            new ExporterTexts(
                true, Map.of(new ExporterTexts.Key(IpAddress.ofIpv4(0xc000_0200), 1), "file")));
    Vector stored = new Vector(ValueKind.TEXT);
    for (int i = 0; i < flows.size(); i += 2) {
      stored.requireTexts()[i] = "export";
      stored.validity()[i >>> 6] |= 1L << i;
    }
    stored.settleValidity(flows.size());
    Vector out = new Vector(ValueKind.TEXT);
    table.fill(new Vector[] {stored, keys()[0], keys()[1]}, flows.size(), out);
    for (int i = 0; i < flows.size(); i++) {
      Flow flow = flows.get(i);
      boolean isOfFile =
          IpAddress.ofIpv4(0xc000_0200).equals(flow.exporter())
              && Long.valueOf(1).equals(flow.input());
      String expected = isOfFile ? "file" : i % 2 == 0 ? "export" : null;
      assertEquals(expected, out.isValid(i) ? out.requireTexts()[i] : null, flow.toString());
    }
  }
}
