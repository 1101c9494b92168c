package org.flowmon.udaf.enrich;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;
import org.flowmon.udaf.enrich.EnrichedColumn.Table;

/** Tables of few prefixes with few texts, and what a plain search finds in them. */
public final class TestTables implements Enrichment {
  private final Map<Table, Lookup> lookups = new EnumMap<>(Table.class);
  private final List<IpPrefix> prefixes;
  private final List<String> countries = new ArrayList<>();
  private final Map<IpAddress, String> names = new HashMap<>();

  /** Prefixes begin at these addresses; every second of them is the name of an exporter, too. */
  public TestTables(long seed, List<IpAddress> addresses) {
    Random random = new Random(seed);
    Map<IpPrefix, String> chosen = new HashMap<>();
    for (IpAddress address : addresses) {
      int most = address.isIpv4() ? 32 : 128;
      chosen.put(
          new IpPrefix(address, most - random.nextInt(12)),
          String.valueOf((char) ('A' + random.nextInt(5))));
      if (random.nextBoolean()) {
        names.put(address, "router " + random.nextInt(3));
      }
    }
    prefixes = new ArrayList<>(chosen.keySet());
    prefixes.sort(Comparator.comparing(IpPrefix::first).thenComparing(IpPrefix::length));
    prefixes.forEach(prefix -> countries.add(chosen.get(prefix)));
    AddressTable table = AddressTableTest.table(prefixes);
    List<String> texts = countries.stream().distinct().toList();
    AddressTable.Builder merged = new AddressTable.Builder();
    for (int i = 0; i < prefixes.size(); i++) {
      IpAddress first = prefixes.get(i).first();
      IpAddress last = prefixes.get(i).last();
      int entry = texts.indexOf(countries.get(i));
      if (first.isIpv4()) {
        merged.addIpv4((int) first.lo(), (int) last.lo(), entry);
      } else {
        merged.addIpv6(first.hi(), first.lo(), last.hi(), last.lo(), entry);
      }
    }
    lookups.put(Table.COUNTRY, new AddressTexts(merged.build(), texts.toArray(String[]::new)));
    long[] numbers = new long[prefixes.size()];
    Map<Long, String> systems = new HashMap<>();
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = 64_500L + i % 7;
      systems.put(64_500L + i % 5, "AS " + i % 5);
    }
    lookups.put(Table.AS_NUMBER, new AsTable(table, numbers));
    lookups.put(Table.AS_NAME, new CodeTexts(systems));
    Map<ExporterTexts.Key, String> routers = new HashMap<>();
    names.forEach((address, name) -> routers.put(new ExporterTexts.Key(address, 0), name));
    lookups.put(Table.EXPORTER_NAME, new ExporterTexts(false, routers));
  }

  @Override
  public Supplier<Lookup> lookup(Table table) {
    return lookups.getOrDefault(table, KnownNames.of(table));
  }

  @Override
  public Optional<String> version(Table table) {
    return lookups.containsKey(table) ? Optional.of("1") : Optional.empty();
  }

  /** Null if there is none. */
  public String country(IpAddress address) {
    int place = place(address);
    return place < 0 ? null : countries.get(place);
  }

  /** Null if there is none. */
  public Long system(Long exported, IpAddress address) {
    int place = exported != null || address == null ? -1 : place(address);
    return exported != null ? exported : place < 0 ? null : Long.valueOf(64_500L + place % 7);
  }

  /** Null if there is none. */
  public String systemName(Long number) {
    return number == null || number < 64_500 || number > 64_504 ? null : "AS " + (number - 64_500);
  }

  private int place(IpAddress address) {
    int best = -1;
    for (int i = 0; i < prefixes.size(); i++) {
      if (prefixes.get(i).contains(address.hi(), address.lo())
          && (best < 0 || prefixes.get(i).length() > prefixes.get(best).length())) {
        best = i;
      }
    }
    return best;
  }
}
