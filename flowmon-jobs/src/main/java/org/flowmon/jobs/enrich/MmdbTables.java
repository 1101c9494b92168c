package org.flowmon.jobs.enrich;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import org.flowmon.flow.IpPrefix;
import org.flowmon.udaf.enrich.AddressTable;
import org.flowmon.udaf.enrich.AddressTexts;
import org.flowmon.udaf.enrich.AsTable;
import org.flowmon.udaf.enrich.CodeTexts;
import org.flowmon.udaf.enrich.Lookup;
import org.jspecify.annotations.Nullable;

/** Makes tables of a file in MaxMind's format, with the fields of MaxMind, DB-IP and IPinfo. */
final class MmdbTables {
  private MmdbTables() {}

  static Lookup countries(MmdbFile file) {
    MmdbValues values = file.values();
    return texts(
        file,
        "countries (country.iso_code, country_code or country)",
        record ->
            first(
                values.text(values.field(record, "country", "iso_code")),
                values.text(values.field(record, "country_code")),
                values.text(values.field(record, "country"))));
  }

  static Lookup cities(MmdbFile file) {
    MmdbValues values = file.values();
    return texts(
        file,
        "cities (city.names.en or city)",
        record ->
            first(
                values.text(values.field(record, "city", "names", "en")),
                values.text(values.field(record, "city"))));
  }

  /** Numbers by address, and names by number. */
  record Systems(AsTable numbers, CodeTexts names) {}

  static Systems systems(MmdbFile file) {
    MmdbValues values = file.values();
    Distinct<Long> numbers = new Distinct<>();
    Map<Long, String> names = new HashMap<>();
    AddressTable table =
        table(
            file,
            record -> {
              Long number = systemNumber(values, record);
              if (number == null) {
                return -1;
              }
              String name =
                  first(
                      values.text(values.field(record, "autonomous_system_organization")),
                      values.text(values.field(record, "as_name")),
                      values.text(values.field(record, "name")));
              if (name != null) {
                names.putIfAbsent(number, name);
              }
              return numbers.entry(number);
            });
    require(file, numbers.all, "AS numbers (autonomous_system_number or asn)");
    return new Systems(
        new AsTable(table, numbers.all.stream().mapToLong(Long::longValue).toArray()),
        new CodeTexts(names));
  }

  private static @Nullable Long systemNumber(MmdbValues values, int record) {
    Long number = values.number(values.field(record, "autonomous_system_number"));
    int asn = values.field(record, "asn");
    number = number == null ? values.number(asn) : number;
    String text = number == null ? values.text(asn) : null;
    if (text != null && text.matches("(?i)(AS)?[0-9]{1,10}")) {
      number = Long.parseLong(text.replaceFirst("^\\D+", ""));
    }
    return number == null || number <= 0 || number > 0xffff_ffffL ? null : number;
  }

  private static @Nullable String first(@Nullable String... texts) {
    for (String text : texts) {
      if (text != null && !text.isEmpty()) {
        return text;
      }
    }
    return null;
  }

  private static Lookup texts(
      MmdbFile file, String expected, IntFunction<@Nullable String> textOf) {
    Distinct<String> texts = new Distinct<>();
    AddressTable table =
        table(
            file,
            record -> {
              String text = textOf.apply(record);
              return text == null ? -1 : texts.entry(text);
            });
    require(file, texts.all, expected);
    return new AddressTexts(table, texts.all.toArray(String[]::new));
  }

  private static void require(MmdbFile file, List<?> found, String expected) {
    if (found.isEmpty()) {
      throw new EnrichmentException("has no " + expected + "; its type is '" + file.type() + "'");
    }
  }

  private static AddressTable table(MmdbFile file, IntUnaryOperator entryOf) {
    AddressTable.Builder table = new AddressTable.Builder();
    Entries entries = new Entries(entryOf);
    file.networks(
        (isIpv4, hi, lo, length, record) -> {
          int entry = entries.of(record);
          if (entry < 0) {
            return;
          } else if (isIpv4) {
            int first = (int) (hi >>> 32);
            table.addIpv4(first, first | (int) (0xffff_ffffL >>> length), entry);
          } else {
            table.addIpv6(
                hi, lo, hi | ~IpPrefix.highMask(length), lo | ~IpPrefix.lowMask(length), entry);
          }
        });
    return table.build();
  }

  /** Numbers different values in the order in which they come. */
  private static final class Distinct<T> {
    private final List<T> all = new ArrayList<>();
    private final Map<T, Integer> entries = new HashMap<>();

    int entry(T value) {
      return entries.computeIfAbsent(
          value,
          one -> {
            all.add(one);
            return all.size() - 1;
          });
    }
  }

  /** The entry of each record that networks share, read once: a hash table by its place. */
  private static final class Entries {
    private final IntUnaryOperator entryOf;
    private int[] records = new int[1 << 10]; // place + 1, 0 if free
    private int[] entries = new int[1 << 10];
    private int size;

    Entries(IntUnaryOperator entryOf) {
      this.entryOf = entryOf;
    }

    int of(int record) {
      int slot = slot(record + 1);
      if (records[slot] == 0) {
        int entry = entryOf.applyAsInt(record);
        if (++size > records.length / 2) {
          grow();
          slot = slot(record + 1);
        }
        records[slot] = record + 1;
        entries[slot] = entry;
      }
      return entries[slot];
    }

    private int slot(int key) {
      int slot = ((key * 0x9e37_79b1) >>> 1) & (records.length - 1);
      while (records[slot] != 0 && records[slot] != key) {
        slot = (slot + 1) & (records.length - 1);
      }
      return slot;
    }

    private void grow() {
      int[] oldRecords = records;
      int[] oldEntries = entries;
      records = new int[oldRecords.length * 2];
      entries = new int[records.length];
      for (int i = 0; i < oldRecords.length; i++) {
        if (oldRecords[i] != 0) {
          int slot = slot(oldRecords[i]);
          records[slot] = oldRecords[i];
          entries[slot] = oldEntries[i];
        }
      }
    }
  }
}
