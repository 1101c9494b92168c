package org.flowmon.udaf.function;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.flowmon.udaf.catalogue.Udafs;
import org.flowmon.udaf.function.ContractStreams.Tree;
import org.flowmon.udaf.function.TestRows.Shape;
import org.flowmon.udaf.state.StateFormatException;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.SuperAggregate;
import org.flowmon.udaf.state.SuperState;
import org.junit.jupiter.api.Test;

/**
 * The contract of every function, over streams of all shapes, any partitioning into low halves and
 * any merge tree. A function's test extends it, and {@code EveryFunctionTest} lists the test.
 */
public abstract class FunctionContract {
  private static final int[] SIZES = {0, 1, 2, 50, 3000};

  /** The functions to check, with all of their strategies. */
  protected abstract List<ContractCase> cases();

  private interface Check {
    void run(ContractCase each, TestRows rows, Random random, String where) throws Exception;
  }

  private void overStreams(int salt, int[] sizes, Check check) {
    assertFalse(cases().isEmpty(), "nothing to check");
    for (ContractCase each : cases()) {
      for (Shape shape : Shape.values()) {
        for (int size : sizes) {
          int seed = 31 * (31 * salt + shape.name().hashCode()) + size;
          Random random = new Random(seed);
          double nulls = random.nextInt(3) == 0 ? 0.2 : 0;
          TestRows rows = TestRows.of(each.kinds(), shape, size, nulls, random);
          String where = each + ", " + size + " rows " + shape + ", seed " + seed;
          try {
            check.run(each, rows, random, where);
          } catch (Exception | AssertionError e) {
            throw new AssertionError(where + ": " + e, e);
          }
        }
      }
    }
  }

  @Test
  void anyPartitionAndAnyMergeTreeKeepsToTheBounds() {
    overStreams(
        1,
        SIZES,
        (each, rows, random, where) -> {
          byte[] first = null;
          for (Tree tree : Tree.values()) {
            SuperAggregate high = each.function().superAggregate();
            List<byte[]> sent = ContractStreams.subStates(each.function(), rows, random);
            SuperState state = ContractStreams.merged(high, sent, tree, random);
            each.oracle().check(rows, state, where + ", tree " + tree);
            if (each.function().isExact()) {
              byte[] bytes = ContractStreams.bytes(state);
              first = first == null ? bytes : first;
              assertArrayEquals(first, bytes, where + ", tree " + tree);
            }
          }
        });
  }

  @Test
  void bytesGiveBackTheState() {
    overStreams(
        2,
        SIZES,
        (each, rows, random, where) -> {
          SuperAggregate high = each.function().superAggregate();
          List<byte[]> sent = ContractStreams.subStates(each.function(), rows, random);
          SuperState state = ContractStreams.merged(high, sent, Tree.ONE, random);
          byte[] bytes = ContractStreams.bytes(state);
          assertArrayEquals(bytes, ContractStreams.bytes(state), "output changed the state");
          SuperState again = high.initialize();
          ContractStreams.merge(again, bytes);
          assertSameAnswers(each, state, again, where);
          each.oracle().check(rows, again, where + ", from bytes");
          // A state without rows changes nothing.
          again.merge(high.initialize());
          ContractStreams.merge(again, new byte[0]);
          ContractStreams.merge(again, ContractStreams.bytes(high.initialize()));
          assertSameAnswers(each, state, again, where + ", and nothing more");
        });
  }

  private static void assertSameAnswers(
      ContractCase each, SuperState expected, SuperState found, String where) {
    for (BoundExtractor probe : each.probes()) {
      assertEquals(probe.extract(expected), probe.extract(found), where);
      assertEquals(probe.bound(expected), probe.bound(found), where);
    }
  }

  @Test
  void memoryIsNotBelowTheTruth() {
    overStreams(
        3,
        SIZES,
        (each, rows, random, where) -> {
          SuperAggregate high = each.function().superAggregate();
          SuperState state = high.initialize();
          for (byte[] bytes : ContractStreams.subStates(each.function(), rows, random)) {
            long before = state.memoryBytes();
            long growth = state.growth(new StateReader(bytes, 0, bytes.length, where));
            ContractStreams.merge(state, bytes);
            assertTrue(
                state.memoryBytes() - before <= growth,
                () -> where + ": grew by more than the " + growth + " bytes that it foretold");
            assertNearTheTruth(state, where);
            // Reading does not change the bytes counted at the merge.
            long counted = state.memoryBytes();
            long charged = state.chargedBytes();
            ContractStreams.bytes(state);
            each.probes().forEach(probe -> probe.extract(state));
            assertEquals(counted, state.memoryBytes(), where + ", asked");
            assertEquals(charged, state.chargedBytes(), where + ", asked");
            assertNearTheTruth(state, where + ", asked");
          }
        });
  }

  @Test
  void aStateThatIsMergedIntoAnotherGrowsItByNoMoreThanIsForetold() {
    overStreams(
        6,
        SIZES,
        (each, rows, random, where) -> {
          SuperAggregate high = each.function().superAggregate();
          List<byte[]> sent = ContractStreams.subStates(each.function(), rows, random);
          SuperState all = ContractStreams.merged(high, sent, Tree.ONE, random);
          byte[] whole = ContractStreams.bytes(all);
          assertTrue(whole.length <= all.memoryBytes(), where + ": takes more bytes than memory");
          for (int merged = 0; merged <= sent.size(); merged += 1 + sent.size() / 4) {
            SuperState state = high.initialize();
            sent.subList(0, merged).forEach(bytes -> ContractStreams.merge(state, bytes));
            long before = state.memoryBytes();
            long growth = state.growth(new StateReader(whole, 0, whole.length, where));
            ContractStreams.merge(state, whole);
            long grown = state.memoryBytes() - before;
            assertTrue(grown <= growth, where + ": grew by " + grown + ", foretold " + growth);
          }
        });
  }

  private static void assertNearTheTruth(SuperState state, String where)
      throws IllegalAccessException {
    long truth = ObjectSize.of(state);
    String says = where + ": says " + state.memoryBytes() + " bytes of " + truth;
    assertTrue(state.memoryBytes() >= truth, says);
    assertTrue(state.memoryBytes() <= 4 * truth + 500, says);
  }

  @Test
  void whatABudgetCountsIsAMatterOfTheRowsAloneAndNeverFalls() {
    overStreams(
        5,
        SIZES,
        (each, rows, random, where) -> {
          long first = -1;
          for (Tree tree : Tree.values()) {
            SuperAggregate high = each.function().superAggregate();
            List<byte[]> sent = ContractStreams.subStates(each.function(), rows, random);
            SuperState state = ContractStreams.merged(high, sent, tree, random);
            long charged = state.chargedBytes();
            first = first < 0 ? charged : first;
            assertEquals(first, charged, where + ", tree " + tree);
            assertTrue(
                charged >= state.memoryBytes(),
                where + ": counts " + charged + " of " + state.memoryBytes());
            SuperState again = high.initialize();
            ContractStreams.merge(again, ContractStreams.bytes(state));
            assertEquals(first, again.chargedBytes(), where + ", from bytes");
          }
          SuperAggregate high = each.function().superAggregate();
          SuperState state = high.initialize();
          long before = state.chargedBytes();
          for (byte[] bytes : ContractStreams.subStates(each.function(), rows, random)) {
            ContractStreams.merge(state, bytes);
            assertTrue(state.chargedBytes() >= before, where + ": fell from " + before);
            before = state.chargedBytes();
          }
        });
  }

  @Test
  void whateverBytesAreDamagedOnlyTheFormatIsAnError() {
    int[] refused = {0};
    overStreams(
        4,
        new int[] {3, 400, 3000},
        (each, rows, random, where) -> {
          SuperAggregate high = each.function().superAggregate();
          List<byte[]> sent = ContractStreams.subStates(each.function(), rows, random);
          SuperState state = ContractStreams.merged(high, sent, Tree.ONE, random);
          List<byte[]> seeds = new ArrayList<>(sent.subList(0, Math.min(3, sent.size())));
          seeds.add(ContractStreams.bytes(state));
          for (byte[] seed : seeds) {
            for (int i = 0; i < 40; i++) {
              byte[] bytes = damaged(seed, random);
              SuperState target = high.initialize();
              ContractStreams.merge(target, sent.get(0));
              byte[] before = ContractStreams.bytes(target);
              try {
                ContractStreams.merge(target, bytes);
                ContractStreams.bytes(target);
                target.merge(state);
                each.probes().forEach(probe -> probe.extract(target));
              } catch (StateFormatException e) {
                refused[0]++;
                assertTrue(e.getMessage().length() > 20, e.getMessage());
                assertArrayEquals(before, ContractStreams.bytes(target), where);
              }
            }
          }
        });
    assertTrue(refused[0] > 0, "no damage was found");
  }

  private static byte[] damaged(byte[] bytes, Random random) {
    byte[] copy = bytes.clone();
    switch (random.nextInt(5)) {
      case 0 -> {
        return Arrays.copyOf(copy, random.nextInt(copy.length + 1));
      }
      case 1 -> {
        return Arrays.copyOf(copy, copy.length + 1 + random.nextInt(9));
      }
      case 2 -> random.nextBytes(copy);
      default -> {
        for (int i = random.nextInt(4); i >= 0 && copy.length > 0; i--) {
          // Most of the important bytes are at the beginning.
          int at = random.nextInt(random.nextBoolean() ? Math.min(12, copy.length) : copy.length);
          copy[at] = random.nextBoolean() ? (byte) -1 : (byte) random.nextInt();
        }
      }
    }
    return copy;
  }

  @Test
  void aCallSaysAllOfItself() {
    for (ContractCase each : cases()) {
      BoundUdaf function = each.function();
      Udafs known = Udafs.of(List.of(owner()));
      BoundUdaf again = known.bind(function.call().name(), function.call().arguments());
      assertEquals(function.call().toString(), again.call().toString());
      assertEquals(function.stateType(), again.stateType());
      assertEquals(function.isExact(), again.isExact());
      assertNotSame(function.subAggregate(), null);
      assertTrue(function.subAggregate().words() >= 1);
    }
  }

  /** The function of all cases. */
  protected abstract Udaf owner();
}
