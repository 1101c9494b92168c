package org.flowmon.udaf.function;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.flowmon.flow.bytes.LittleEndian;
import org.flowmon.udaf.cardinality.ApproxCountDistinctContractTest;
import org.flowmon.udaf.cardinality.DistinctSampleContractTest;
import org.flowmon.udaf.catalogue.ExportedState;
import org.flowmon.udaf.catalogue.Udafs;
import org.flowmon.udaf.doubles.DoubleSumsContractTest;
import org.flowmon.udaf.frequency.HeavyHittersContractTest;
import org.flowmon.udaf.quantile.QuantileContractTest;
import org.flowmon.udaf.slots.SlotsContractTest;
import org.flowmon.udaf.state.StateFormatException;
import org.flowmon.udaf.state.SuperState;
import org.junit.jupiter.api.Test;

/** Every function of flowmon has its contract and can export its states. */
class EveryFunctionTest {
  /** The contract tests of all functions. */
  private static final List<FunctionContract> CONTRACTS =
      List.of(
          new QuantileContractTest(),
          new HeavyHittersContractTest(),
          new ApproxCountDistinctContractTest(),
          new DistinctSampleContractTest(),
          new DoubleSumsContractTest(),
          new SlotsContractTest());

  private final Udafs functions = Udafs.load(getClass().getClassLoader());

  private static List<ContractCase> cases() {
    return CONTRACTS.stream().map(FunctionContract::cases).flatMap(Collection::stream).toList();
  }

  @Test
  void everyFunctionHasAContractTest() {
    Set<String> checked = new HashSet<>();
    cases().forEach(each -> checked.add(each.function().call().name()));
    Set<String> known = new HashSet<>();
    functions.all().forEach(each -> known.add(each.name()));
    assertEquals(known, checked);
  }

  @Test
  void anExportedStateSaysHowToReadIt() {
    Random random = new Random(1);
    for (ContractCase each : cases()) {
      TestRows rows = TestRows.of(each.kinds(), TestRows.Shape.ZIPF, 500, 0.1, random);
      BoundUdaf function = each.function();
      SuperState state =
          ContractStreams.merged(
              function.superAggregate(),
              ContractStreams.subStates(function, rows, random),
              ContractStreams.Tree.ONE,
              random);
      byte[] bytes = ExportedState.of(function, state).toBytes();
      ExportedState read = ExportedState.read(bytes);
      assertEquals(function.call().toString(), read.bind(functions).call().toString());
      SuperState again = read.bind(functions).superAggregate().initialize();
      read.mergeInto(again);
      for (BoundExtractor probe : each.probes()) {
        assertEquals(probe.extract(state), probe.extract(again), each.toString());
      }
      assertArrayEquals(bytes, read.toBytes());
    }
  }

  @Test
  void damagedExportsAreErrorsOfTheFormat() {
    Random random = new Random(2);
    ContractCase each = cases().get(0);
    SuperState state = each.function().superAggregate().initialize();
    byte[] bytes = ExportedState.of(each.function(), state).toBytes();
    for (int i = 0; i < bytes.length; i++) {
      byte[] flipped = bytes.clone();
      flipped[i] ^= (byte) (1 << random.nextInt(8));
      assertThrows(StateFormatException.class, () -> ExportedState.read(flipped), "byte " + i);
      byte[] cut = java.util.Arrays.copyOf(bytes, i);
      assertThrows(StateFormatException.class, () -> ExportedState.read(cut), i + " bytes");
    }
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] copy = bytes.clone();
      copy[16 + random.nextInt(bytes.length - 16)] = (byte) random.nextInt();
      LittleEndian.putInt(copy, 12, checksum(copy));
      try {
        ExportedState.read(copy).bind(functions);
      } catch (StateFormatException | UdafException e) {
        refused++;
      }
    }
    assertTrue(refused > 10_000, "refused " + refused);
    byte[] newer = bytes.clone();
    newer[4] = 2;
    StateFormatException e =
        assertThrows(StateFormatException.class, () -> ExportedState.read(newer));
    assertEquals("an exported state: at byte 0: version 2, this reads version 1", e.getMessage());
  }

  private static int checksum(byte[] bytes) {
    java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
    crc.update(bytes, 0, 12);
    crc.update(bytes, 16, bytes.length - 16);
    return (int) crc.getValue();
  }
}
