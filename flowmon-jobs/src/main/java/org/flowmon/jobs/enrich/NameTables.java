package org.flowmon.jobs.enrich;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;
import org.flowmon.ingest.file.format.SourceTable;
import org.flowmon.ingest.file.format.Words;
import org.flowmon.udaf.enrich.AddressTable;
import org.flowmon.udaf.enrich.AddressTexts;
import org.flowmon.udaf.enrich.ExporterTexts;
import org.flowmon.udaf.enrich.KnownNames;
import org.flowmon.udaf.enrich.Lookup;

/** Makes tables of names in CSV files. */
final class NameTables {
  private NameTables() {}

  /** The names of one interface; empty ones are unknown. */
  record Interface(String name, String description) {}

  private record Network(IpPrefix prefix, String name, CsvFile.Row row) {}

  /** {@code network,name}: of networks in one another the smallest counts. */
  static Lookup networks(byte[] csv) {
    List<Network> networks = new ArrayList<>();
    for (CsvFile.Row row : CsvFile.read(csv, List.of("network", "name"), List.of())) {
      networks.add(new Network(row.prefix(0), row.text(1), row));
    }
    networks.sort(
        Comparator.comparing((Network network) -> network.prefix().first())
            .thenComparing(network -> network.prefix().length()));
    AddressTable.Builder table = new AddressTable.Builder();
    Map<String, Integer> entries = new HashMap<>();
    List<String> names = new ArrayList<>();
    for (int i = 0; i < networks.size(); i++) {
      Network network = networks.get(i);
      if (i > 0 && network.prefix().equals(networks.get(i - 1).prefix())) {
        throw network
            .row()
            .error(
                "network %s is in line %d, too; expected it once"
                    .formatted(network.prefix(), networks.get(i - 1).row().line()));
      }
      int entry =
          network.name().isEmpty()
              ? -1
              : entries.computeIfAbsent(
                  network.name(),
                  name -> {
                    names.add(name);
                    return names.size() - 1;
                  });
      IpAddress first = network.prefix().first();
      IpAddress last = network.prefix().last();
      if (first.isIpv4()) {
        table.addIpv4((int) first.lo(), (int) last.lo(), entry);
      } else {
        table.addIpv6(first.hi(), first.lo(), last.hi(), last.lo(), entry);
      }
    }
    return new AddressTexts(table.build(), names.toArray(String[]::new));
  }

  /** {@code exporter,name}. */
  static Map<IpAddress, String> exporters(byte[] csv) {
    Map<IpAddress, String> names = new HashMap<>();
    for (CsvFile.Row row : CsvFile.read(csv, List.of("exporter", "name"), List.of())) {
      if (names.put(row.address(0), row.text(1)) != null) {
        throw row.error("exporter " + row.address(0) + " is there twice; expected it once");
      }
    }
    return names;
  }

  /** {@code exporter,index,name,description}; the last may be missing. */
  static Map<ExporterTexts.Key, Interface> interfaces(byte[] csv) {
    Map<ExporterTexts.Key, Interface> interfaces = new HashMap<>();
    List<String> columns = List.of("exporter", "index", "name", "description");
    for (CsvFile.Row row : CsvFile.read(csv, columns, List.of("description"))) {
      ExporterTexts.Key key = new ExporterTexts.Key(row.address(0), row.number(1, 0, 0xffff_ffffL));
      if (interfaces.put(key, new Interface(row.text(2), row.text(3))) != null) {
        throw row.error(
            "interface %d of exporter %s is there twice; expected it once"
                .formatted(key.index(), key.exporter()));
      }
    }
    return interfaces;
  }

  static Lookup ofExporters(Map<IpAddress, String> names) {
    Map<ExporterTexts.Key, String> texts = new HashMap<>();
    names.forEach(
        (exporter, name) -> {
          if (!name.isEmpty()) {
            texts.put(new ExporterTexts.Key(exporter, 0), name);
          }
        });
    return new ExporterTexts(false, texts);
  }

  static Lookup ofInterfaces(
      Map<ExporterTexts.Key, Interface> interfaces, Function<Interface, String> textOf) {
    Map<ExporterTexts.Key, String> texts = new HashMap<>();
    interfaces.forEach(
        (key, one) -> {
          if (!textOf.apply(one).isEmpty()) {
            texts.put(key, textOf.apply(one));
          }
        });
    return new ExporterTexts(true, texts);
  }

  /** {@code protocol,port,name}; the protocol by name or number. */
  static Lookup ports(byte[] csv) {
    Map<Long, String> names = new HashMap<>();
    for (CsvFile.Row row : CsvFile.read(csv, List.of("protocol", "port", "name"), List.of())) {
      byte[] name = row.text(0).getBytes(StandardCharsets.UTF_8);
      long known = SourceTable.PROTOCOL_NAMES.number(name, 0, name.length);
      long protocol = known == Words.UNKNOWN ? row.number(0, 0, 255) : known;
      long port = row.number(1, 0, 65_535);
      if (names.put(protocol << 16 | port, row.text(2)) != null) {
        throw row.error("port " + port + " of this protocol is there twice; expected it once");
      }
    }
    return KnownNames.ports(names);
  }
}
