package org.flowmon.jobs.enrich;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.enrich.EnrichmentConfig.Source;
import org.flowmon.udaf.enrich.CompletedTexts;
import org.flowmon.udaf.enrich.EnrichedColumn.Table;
import org.flowmon.udaf.enrich.ExporterTexts;
import org.flowmon.udaf.enrich.Lookup;
import org.jspecify.annotations.Nullable;

/**
 * Makes tables of the contents of files. Rules over names are applied only if they or the names
 * have changed.
 */
final class TableAssembly {
  private Optional<Named> last = Optional.empty();

  /** The tables of names and classes, and the very objects that they were made of. */
  private record Named(
      Object exporters, Object interfaces, Object rules, Map<Table, Lookup> lookups) {
    boolean isOf(Object theseExporters, Object theseInterfaces, Object theseRules) {
      return exporters == theseExporters && interfaces == theseInterfaces && rules == theseRules;
    }
  }

  /**
   * The tables of the contents that there are. Throws {@link EnrichmentException} if rules take too
   * long on the names.
   */
  Map<Table, Lookup> lookups(Map<Source, Object> contents) {
    Map<Table, Lookup> lookups = new EnumMap<>(Table.class);
    put(lookups, Table.COUNTRY, contents.get(Source.COUNTRY));
    put(lookups, Table.CITY, contents.get(Source.CITY));
    put(lookups, Table.NETWORK, contents.get(Source.NETWORKS));
    put(lookups, Table.PORT_NAME, contents.get(Source.PORTS));
    if (contents.get(Source.AS) instanceof MmdbTables.Systems systems) {
      lookups.put(Table.AS_NUMBER, systems.numbers());
      lookups.put(Table.AS_NAME, systems.names());
    }
    lookups.putAll(named(contents));
    if (contents.get(Source.TRAFFIC) instanceof TrafficRules rules) {
      lookups.putAll(rules.tables(lookups.get(Table.IF_BOUNDARY)));
    }
    return Map.copyOf(lookups);
  }

  private static void put(Map<Table, Lookup> lookups, Table table, @Nullable Object content) {
    if (content instanceof Lookup lookup) {
      lookups.put(table, lookup);
    }
  }

  @SuppressWarnings("unchecked") // each source has one type of content
  private Map<Table, Lookup> named(Map<Source, Object> contents) {
    Map<IpAddress, String> exporters =
        (Map<IpAddress, String>) contents.getOrDefault(Source.EXPORTERS, Map.of());
    Map<ExporterTexts.Key, NameTables.Interface> interfaces =
        (Map<ExporterTexts.Key, NameTables.Interface>)
            contents.getOrDefault(Source.INTERFACES, Map.of());
    ClassRules rules = (ClassRules) contents.getOrDefault(Source.CLASSES, ClassRules.NONE);
    if (last.isPresent() && last.get().isOf(exporters, interfaces, rules)) {
      return last.get().lookups();
    }
    Map<Table, Lookup> lookups = new EnumMap<>(Table.class);
    lookups.put(Table.EXPORTER_NAME, NameTables.ofExporters(exporters));
    if (contents.containsKey(Source.INTERFACES)) {
      lookups.put(
          Table.IF_NAME,
          new CompletedTexts(NameTables.ofInterfaces(interfaces, NameTables.Interface::name)));
      lookups.put(
          Table.IF_DESCRIPTION,
          new CompletedTexts(
              NameTables.ofInterfaces(interfaces, NameTables.Interface::description)));
    }
    lookups.putAll(rules.tables(exporters, interfaces));
    last = Optional.of(new Named(exporters, interfaces, rules, lookups));
    return lookups;
  }
}
