package org.flowmon.jobs.enrich;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;
import org.flowmon.jobs.config.YamlFile;
import org.flowmon.jobs.config.YamlSection;
import org.flowmon.udaf.enrich.AddressTable;
import org.flowmon.udaf.enrich.Duplicates;
import org.flowmon.udaf.enrich.EnrichedColumn.Table;
import org.flowmon.udaf.enrich.ExporterTexts;
import org.flowmon.udaf.enrich.Lookup;
import org.flowmon.udaf.enrich.TrafficDirections;
import org.flowmon.udaf.enrich.TrafficDirections.Sign;
import org.jspecify.annotations.Nullable;

/**
 * Rules for {@code traffic_direction} and {@code is_duplicate}, a YAML file:
 *
 * <pre>
 * inside: [10.0.0.0/8, 2001:db8::/32]                  # absent: those of enrichment.inside
 * direction: [interfaces, networks, flow_direction]    # the first that knows it tells it
 * duplicates:                                          # the first that is for a flow decides
 *   - networks: [10.1.0.0/16]                          # source or destination; or from, to
 *     count: {exporters: [192.0.2.1]}                  # where such flows count
 *   - from: [outside]
 *     count: {in_boundary: external, flow_direction: ingress}
 * </pre>
 */
final class TrafficRules {
  private static final int MAX_RULES = 1000;
  private static final int MAX_NETWORKS = 100_000;
  private static final String INSIDE = "inside";
  private static final String OUTSIDE = "outside";
  private static final ExporterTexts NO_CLASSES = new ExporterTexts(true, Map.of());

  private final AddressTable inside;
  private final List<Sign> signs;
  private final List<Duplicates.Rule> rules;

  /** The networks of one's own and all others, as rules name them: a table each for all rules. */
  private record Own(boolean areGiven, AddressTable inside, AddressTable outside) {}

  private TrafficRules(AddressTable inside, List<Sign> signs, List<Duplicates.Rule> rules) {
    this.inside = inside;
    this.signs = signs;
    this.rules = rules;
  }

  /**
   * Throws {@link org.flowmon.jobs.config.ConfigException} that names line and key.
   *
   * @param configured the networks of one's own, if the file has none
   */
  static TrafficRules parse(String file, String text, List<String> configured) {
    YamlSection root = YamlFile.parse(file, text);
    List<String> own = root.words(INSIDE);
    List<IpPrefix> inside = prefixes(root, INSIDE, own.isEmpty() ? configured : own);
    List<Sign> signs = new ArrayList<>();
    for (String word : root.words("direction")) {
      signs.add(sign(root, word));
    }
    if (signs.contains(Sign.NETWORKS) && inside.isEmpty()) {
      throw root.error(
          "direction", "networks tell it only with inside: [network, …], here or in enrichment");
    }
    Own networks = new Own(!inside.isEmpty(), table(inside, 0, -1), table(inside, -1, 0));
    List<Duplicates.Rule> rules = new ArrayList<>();
    for (YamlSection section : root.sections("duplicates")) {
      rules.add(rule(section, networks));
      if (rules.size() > MAX_RULES) {
        throw root.error("duplicates", "has more than " + MAX_RULES + " rules");
      }
    }
    root.end();
    return new TrafficRules(networks.inside(), List.copyOf(signs), List.copyOf(rules));
  }

  private static Sign sign(YamlSection root, String word) {
    for (Sign sign : Sign.values()) {
      if (sign.name().toLowerCase(Locale.ROOT).equals(word)) {
        return sign;
      }
    }
    throw root.error(
        "direction", "expected interfaces, networks, flow_direction, found '" + word + "'");
  }

  private static Duplicates.Rule rule(YamlSection section, Own own) {
    Optional<AddressTable> either = networks(section, "networks", own);
    Optional<AddressTable> from = networks(section, "from", own);
    Optional<AddressTable> to = networks(section, "to", own);
    YamlSection count = section.section("count");
    section.end();
    List<String> exporters = count.words("exporters");
    Optional<String> in = boundary(count, "in_boundary");
    Optional<String> out = boundary(count, "out_boundary");
    Optional<Long> direction = flowDirection(count);
    count.end();
    if (exporters.isEmpty() && in.isEmpty() && out.isEmpty() && direction.isEmpty()) {
      throw section.error(
          "count",
          "is empty; expected exporters, in_boundary, out_boundary or flow_direction: where such"
              + " flows count");
    }
    Optional<AddressTable> sent =
        exporters.isEmpty()
            ? Optional.empty()
            : Optional.of(table(prefixes(count, "exporters", exporters), 0, -1));
    return new Duplicates.Rule(either, from, to, sent, in, out, direction);
  }

  private static Optional<String> boundary(YamlSection count, String key) {
    return Optional.ofNullable(count.textOrNull(key, "a class such as external"));
  }

  private static Optional<Long> flowDirection(YamlSection count) {
    String word = count.textOrNull("flow_direction", "ingress or egress");
    if (word == null) {
      return Optional.empty();
    }
    return Optional.of(
        switch (word) {
          case "ingress" -> 0L;
          case "egress" -> 1L;
          default ->
              throw count.error(
                  "flow_direction", "expected ingress or egress, found '" + word + "'");
        });
  }

  /** Empty if the key is absent: then all addresses are meant. */
  private static Optional<AddressTable> networks(YamlSection section, String key, Own own) {
    List<String> words = section.wordsOrNull(key);
    if (words == null) {
      return Optional.empty();
    }
    boolean isWord = words.contains(INSIDE) || words.contains(OUTSIDE);
    if (isWord && words.size() > 1) {
      throw section.error(key, "expected inside or outside alone, or networks");
    }
    if (isWord && !own.areGiven()) {
      throw section.error(
          key, "'" + words.get(0) + "' needs inside: [network, …], here or in enrichment");
    }
    if (isWord) {
      return Optional.of(words.contains(INSIDE) ? own.inside() : own.outside());
    }
    return Optional.of(table(prefixes(section, key, words), 0, -1));
  }

  private static List<IpPrefix> prefixes(YamlSection section, String key, List<String> words) {
    if (words.size() > MAX_NETWORKS) {
      throw section.error(key, "has more than " + MAX_NETWORKS + " networks");
    }
    List<IpPrefix> prefixes = new ArrayList<>();
    for (String word : words) {
      try {
        prefixes.add(IpPrefix.parse(word));
      } catch (IllegalArgumentException e) {
        throw section.error(
            key, "expected an address or a network such as 192.0.2.0/24, found '" + word + "'");
      }
    }
    return prefixes;
  }

  /** A table with an entry for the prefixes and one for all other addresses. */
  private static AddressTable table(List<IpPrefix> prefixes, int within, int elsewhere) {
    AddressTable.Builder table = new AddressTable.Builder();
    table.addIpv4(0, -1, elsewhere);
    table.addIpv6(0, 0, -1, -1, elsewhere);
    for (IpPrefix prefix : outer(prefixes, true)) {
      table.addIpv4((int) prefix.first().lo(), (int) prefix.last().lo(), within);
    }
    for (IpPrefix prefix : outer(prefixes, false)) {
      IpAddress first = prefix.first();
      IpAddress last = prefix.last();
      table.addIpv6(first.hi(), first.lo(), last.hi(), last.lo(), within);
    }
    return table.build();
  }

  /** Those of one family that lie in no other, in their order. */
  private static List<IpPrefix> outer(List<IpPrefix> prefixes, boolean isIpv4) {
    List<IpPrefix> outer = new ArrayList<>();
    prefixes.stream()
        .filter(prefix -> prefix.first().isIpv4() == isIpv4)
        .sorted(Comparator.comparing(IpPrefix::first).thenComparing(IpPrefix::length))
        .forEach(
            prefix -> {
              // Two are nested or disjoint, and of nested ones the outer comes first.
              if (outer.isEmpty()
                  || outer.get(outer.size() - 1).last().compareTo(prefix.first()) < 0) {
                outer.add(prefix);
              }
            });
    return outer;
  }

  /** Whether a rule or sign asks for classes of interfaces. */
  boolean needsClasses() {
    return signs.contains(Sign.INTERFACES) || countsByClasses();
  }

  private boolean countsByClasses() {
    return rules.stream()
        .anyMatch(rule -> rule.inBoundary().isPresent() || rule.outBoundary().isPresent());
  }

  /**
   * The tables; {@code boundaries} are the classes of interfaces, as far as there are any. Without
   * the classes that rules ask for nothing would count: then it is unknown what is a duplicate.
   */
  Map<Table, Lookup> tables(@Nullable Lookup boundaries) {
    ExporterTexts classes = boundaries instanceof ExporterTexts texts ? texts : NO_CLASSES;
    Lookup directions =
        signs.isEmpty() ? Lookup.NONE : new TrafficDirections(signs, inside, classes);
    Lookup duplicates =
        classes == NO_CLASSES && countsByClasses() ? Lookup.NONE : new Duplicates(rules, classes);
    return Map.of(Table.TRAFFIC_DIRECTION, directions, Table.DUPLICATE, duplicates);
  }
}
