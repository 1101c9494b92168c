package org.flowmon.ingest.decode.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ElementRegistryTest {
  private static final String HEADER =
      "enterprise\telement\tname\ttype\tunit\ttarget\trank\ttransform";

  /** Those of the file whose elements are the only ones of a slot. */
  private static final List<Integer> ENTERPRISES = List.of(0, 9, 5951, 6876, 29305, 35632);

  @Test
  void everySlotHasAnElement() {
    List<Slot> found =
        Stream.iterate(0, e -> e < 65536, e -> e + 1)
            .flatMap(e -> ENTERPRISES.stream().map(enterprise -> new int[] {enterprise, e}))
            .flatMap(key -> ElementRegistry.uses(key[0], key[1]).stream())
            .map(InformationElement::slot)
            .distinct()
            .toList();
    for (Slot slot : Slot.ALL) {
      assertTrue(
          found.contains(slot),
          slot + " has no line in elements.tsv, of the enterprises " + ENTERPRISES);
    }
  }

  @Test
  void anElementMayHaveTwoSlots() {
    assertEquals(
        List.of(Slot.MIN_TTL, Slot.MAX_TTL),
        ElementRegistry.uses(0, 192).stream().map(InformationElement::slot).toList());
  }

  @Test
  void elementsOfAnUnknownEnterpriseAreNotDecoded() {
    assertEquals(List.of(), ElementRegistry.uses(9999, 1));
    assertEquals(List.of(), ElementRegistry.uses(-1, 1));
    assertEquals(List.of(), ElementRegistry.uses(0, -1));
  }

  @Test
  void aLineThatIsWrongIsNamed() {
    refuse("expected 8 fields", "0\t1\toctetDeltaCount\tunsigned64\toctets\tbytes\t0");
    refuse("unknown type", "0\t1\toctetDeltaCount\tunsigned63\toctets\tbytes\t0\t-");
    refuse("no slot 'bites'", "0\t1\toctetDeltaCount\tunsigned64\toctets\tbites\t0\t-");
    refuse("No enum constant", "0\t1\toctetDeltaCount\tunsigned64\toctets\tbytes\t0\tfurlongs");
    refuse("does not take", "0\t8\tsourceIPv4Address\tipv4Address\t-\tbytes\t0\t-");
    refuse(
        "another name",
        "0\t1\ta\tunsigned64\t-\tbytes\t0\t-",
        "0\t1\tb\tunsigned64\t-\tpackets\t0\t-");
    refuse("stands above", "0\t1\ta\tunsigned64\t-\t-\t-\t-", "0\t1\ta\tunsigned64\t-\t-\t-\t-");
    refuse(
        "slot stands",
        "0\t1\ta\tunsigned64\t-\tbytes\t0\t-",
        "0\t1\ta\tunsigned64\t-\tbytes\t1\t-");
  }

  private static void refuse(String why, String... lines) {
    List<String> all = Stream.concat(Stream.of(HEADER), Stream.of(lines)).toList();
    String message =
        assertThrows(IllegalStateException.class, () -> ElementRegistry.parse(all)).getMessage();
    assertTrue(message.contains("line " + all.size() + ": "), message);
    assertTrue(message.contains(why), message);
  }
}
