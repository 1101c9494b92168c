package org.flowmon.jobs.enrich;

import org.flowmon.jobs.enrich.EnrichmentConfig.Source;
import org.flowmon.udaf.enrich.EnrichedColumn.Table;

/** Which files a table is made of. */
final class TableSources {
  private TableSources() {}

  /** Whether a file has a part in the table. */
  static boolean uses(Table table, Source source) {
    return switch (source) {
      case EXPORTERS, CLASSES -> source == main(table) || isClass(table) || isOfTraffic(table);
      case INTERFACES -> source == main(table) || isOfTraffic(table);
      default -> source == main(table) && table != Table.PROTOCOL_NAME;
    };
  }

  static boolean isClass(Table table) {
    return switch (table) {
      case EXPORTER_GROUP,
          EXPORTER_ROLE,
          EXPORTER_SITE,
          EXPORTER_REGION,
          EXPORTER_TENANT,
          IF_BOUNDARY,
          IF_CONNECTIVITY,
          IF_PROVIDER ->
          true;
      default -> false;
    };
  }

  /** Their rules may ask for classes of interfaces. */
  private static boolean isOfTraffic(Table table) {
    return main(table) == Source.TRAFFIC;
  }

  /** Whether it has rules, or names that they are applied to. */
  static boolean isOfRules(Source source) {
    return switch (source) {
      case EXPORTERS, INTERFACES, CLASSES -> true;
      default -> false;
    };
  }

  /** The file without which there is no such table. */
  static Source main(Table table) {
    return switch (table) {
      case COUNTRY -> Source.COUNTRY;
      case CITY -> Source.CITY;
      case AS_NUMBER, AS_NAME -> Source.AS;
      case NETWORK -> Source.NETWORKS;
      case EXPORTER_NAME,
          EXPORTER_GROUP,
          EXPORTER_ROLE,
          EXPORTER_SITE,
          EXPORTER_REGION,
          EXPORTER_TENANT ->
          Source.EXPORTERS;
      case IF_NAME, IF_DESCRIPTION, IF_BOUNDARY, IF_CONNECTIVITY, IF_PROVIDER -> Source.INTERFACES;
      case PROTOCOL_NAME, PORT_NAME -> Source.PORTS;
      case TRAFFIC_DIRECTION, DUPLICATE -> Source.TRAFFIC;
    };
  }
}
