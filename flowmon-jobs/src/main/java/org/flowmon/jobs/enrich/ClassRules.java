package org.flowmon.jobs.enrich;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.config.YamlFile;
import org.flowmon.jobs.config.YamlSection;
import org.flowmon.udaf.enrich.EnrichedColumn.Table;
import org.flowmon.udaf.enrich.ExporterTexts;
import org.flowmon.udaf.enrich.Lookup;

/**
 * Rules that class exporters and interfaces by their names, a YAML file:
 *
 * <pre>
 * exporters:
 *   - name: '^([a-z]{3})[0-9]*-edge'     # a regular expression that finds a part of the name
 *     set: {site: $1, role: edge}        # group, role, site, region, tenant; $1: a group of it
 * interfaces:
 *   - exporter: edge                     # only of such exporters; without it of all
 *     name: '^Transit: (\w+)'            # in the description or else in the name
 *     set: {boundary: external, connectivity: transit, provider: $1}
 * </pre>
 *
 * <p>The first rule that sets a class decides it. They are applied once to each name, not to flows.
 * Names come from devices, so their work is bounded: for each name, and for all.
 */
final class ClassRules {
  static final ClassRules NONE = new ClassRules(List.of(), List.of());

  private static final Map<String, Table> EXPORTER_CLASSES =
      Map.of(
          "group", Table.EXPORTER_GROUP,
          "role", Table.EXPORTER_ROLE,
          "site", Table.EXPORTER_SITE,
          "region", Table.EXPORTER_REGION,
          "tenant", Table.EXPORTER_TENANT);
  private static final Map<String, Table> INTERFACE_CLASSES =
      Map.of(
          "boundary", Table.IF_BOUNDARY,
          "connectivity", Table.IF_CONNECTIVITY,
          "provider", Table.IF_PROVIDER);

  private static final int MAX_RULES = 10_000;

  /** Characters that the rules read of all names, some 10 s. */
  private static final long MAX_READS_OF_ALL = 2_000_000_000L;

  /** What a search costs beside them. */
  private static final int SEARCH_READS = 20;

  /** Longer expressions are refused: their parts may lie in one another, and compiling recurses. */
  private static final int MAX_PATTERN = 1000;

  private record Rule(
      String place, Optional<Pattern> exporter, Pattern name, Map<Table, String> set) {}

  private final List<Rule> exporters;
  private final List<Rule> interfaces;

  private ClassRules(List<Rule> exporters, List<Rule> interfaces) {
    this.exporters = exporters;
    this.interfaces = interfaces;
  }

  /** Throws {@link org.flowmon.jobs.config.ConfigException} that names line and key. */
  static ClassRules parse(String file, String text) {
    YamlSection root = YamlFile.parse(file, text);
    ClassRules rules =
        new ClassRules(
            rules(root, "exporters", EXPORTER_CLASSES, false),
            rules(root, "interfaces", INTERFACE_CLASSES, true));
    root.end();
    return rules;
  }

  private static List<Rule> rules(
      YamlSection root, String key, Map<String, Table> classes, boolean ofInterfaces) {
    List<Rule> rules = new ArrayList<>();
    for (YamlSection section : root.sections(key)) {
      Optional<Pattern> exporter = ofInterfaces ? pattern(section, "exporter") : Optional.empty();
      Pattern name =
          pattern(section, "name")
              .orElseThrow(
                  () -> section.error("name", "is missing; expected a regular expression"));
      Map<Table, String> set = new EnumMap<>(Table.class);
      section
          .map("set")
          .forEach(
              (word, value) -> {
                Table table = classes.get(word);
                if (table == null) {
                  throw section.error(
                      "set",
                      "'%s' is no class; expected one of %s"
                          .formatted(word, String.join(", ", Set.copyOf(classes.keySet()))));
                }
                set.put(table, checked(section, name, value));
              });
      section.end();
      if (set.isEmpty()) {
        throw section.error("set", "is missing; expected classes such as {role: edge}");
      }
      rules.add(new Rule(key + "[" + (rules.size() + 1) + "]", exporter, name, set));
      if (rules.size() > MAX_RULES) {
        throw root.error(key, "has more than " + MAX_RULES + " rules");
      }
    }
    return List.copyOf(rules);
  }

  /** A value with groups that the expression has: found here, not at the first match. */
  private static String checked(YamlSection section, Pattern name, String value) {
    Matcher reference = Pattern.compile("\\$(\\d)").matcher(value);
    while (reference.find()) {
      if (Integer.parseInt(reference.group(1)) > name.matcher("").groupCount()) {
        throw section.error(
            "set",
            "'%s': the name's expression has no group %s".formatted(value, reference.group(1)));
      }
    }
    return value;
  }

  private static Optional<Pattern> pattern(YamlSection section, String key) {
    String text = section.textOrNull(key, "a regular expression");
    if (text != null && text.length() > MAX_PATTERN) {
      throw section.error(
          key, "expected at most %d characters, found %d".formatted(MAX_PATTERN, text.length()));
    }
    try {
      return text == null ? Optional.empty() : Optional.of(Pattern.compile(text));
    } catch (PatternSyntaxException e) {
      throw section.error(
          key, "is no regular expression: " + e.getDescription() + " in '" + text + "'");
    }
  }

  /**
   * The tables of classes, of those that a rule sets. Throws {@link EnrichmentException} if the
   * rules take too long.
   */
  Map<Table, Lookup> tables(
      Map<IpAddress, String> exporterNames, Map<ExporterTexts.Key, NameTables.Interface> names) {
    return tables(exporterNames, names, MAX_READS_OF_ALL);
  }

  /** With at most so many reads for all names. */
  Map<Table, Lookup> tables(
      Map<IpAddress, String> exporterNames,
      Map<ExporterTexts.Key, NameTables.Interface> names,
      long mostReads) {
    Classes classes = new Classes(mostReads);
    exporterNames.forEach(
        (exporter, name) ->
            classes.add(exporters, name, List.of(name), new ExporterTexts.Key(exporter, 0)));
    names.forEach(
        (key, one) ->
            classes.add(
                interfaces,
                exporterNames.getOrDefault(key.exporter(), key.exporter().toString()),
                List.of(one.description(), one.name()),
                key));
    Map<Table, Lookup> tables = new EnumMap<>(Table.class);
    classes.byTable.forEach(
        (table, texts) ->
            tables.put(table, new ExporterTexts(INTERFACE_CLASSES.containsValue(table), texts)));
    return tables;
  }

  /** The classes that rules find, and what may still be read for it. */
  private static final class Classes {
    private final Map<Table, Map<ExporterTexts.Key, String>> byTable = new EnumMap<>(Table.class);
    private long reads;

    Classes(long reads) {
      this.reads = reads;
    }

    /** Classes what has these names, of which the first that a rule finds counts. */
    void add(List<Rule> rules, String exporter, List<String> names, ExporterTexts.Key key) {
      for (Rule rule : rules) {
        if (rule.exporter().isPresent() && !finds(rule, rule.exporter().get(), exporter)) {
          continue;
        }
        for (String name : names) {
          BoundedText text = new BoundedText(rule.place(), name);
          Matcher found = rule.name().matcher(text);
          boolean isFound = found.find();
          take(rule, text);
          if (isFound) {
            rule.set().forEach((table, value) -> put(table, key, replaced(found, value)));
            break;
          }
        }
      }
    }

    private void put(Table table, ExporterTexts.Key key, String text) {
      if (!text.isEmpty()) { // else a later rule may set it
        byTable.computeIfAbsent(table, one -> new HashMap<>()).putIfAbsent(key, text);
      }
    }

    private boolean finds(Rule rule, Pattern pattern, String name) {
      BoundedText text = new BoundedText(rule.place(), name);
      boolean isFound = pattern.matcher(text).find();
      take(rule, text);
      return isFound;
    }

    private void take(Rule rule, BoundedText text) {
      reads -= text.reads + SEARCH_READS;
      if (reads < 0) {
        throw new EnrichmentException(
            "the rules take too long on all names together, at "
                + rule.place()
                + "; expected fewer rules or simpler regular expressions");
      }
    }
  }

  private static String replaced(Matcher found, String value) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '$' && i + 1 < value.length() && isDigit(value.charAt(i + 1))) {
        String group = found.group(value.charAt(++i) - '0');
        text.append(group == null ? "" : group);
      } else {
        text.append(c);
      }
    }
    return text.toString();
  }

  /** As in {@link #checked}'s pattern: other digits name no group. */
  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** Ends an expression that backtracks without end: names come from devices. */
  private static final class BoundedText implements CharSequence {
    private static final int MAX_READS = 1_000_000;

    private final String rule;
    private final String text;
    private int reads;

    BoundedText(String rule, String text) {
      this.rule = rule;
      this.text = text;
    }

    @Override
    public char charAt(int index) {
      if (++reads > MAX_READS) {
        throw new EnrichmentException(
            rule + " takes too long on '" + text + "'; expected a simpler regular expression");
      }
      return text.charAt(index);
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return text.subSequence(start, end);
    }

    @Override
    public String toString() {
      return text;
    }
  }
}
