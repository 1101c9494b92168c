package org.flowmon.udaf.function;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.state.SuperAggregate;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.vector.Vector;

/** Runs rows through low halves, and their sub-states through a tree of merges. */
public final class ContractStreams {
  private static final long GUARD = 0x5EED_5EED_5EED_5EEDL;

  private ContractStreams() {}

  /** The order of merging states. */
  public enum Tree {
    /** One state takes all. */
    ONE,
    /** Each state is merged into the previous one. */
    CHAIN,
    /** Pairs of equal size are merged. */
    BALANCED,
    RANDOM
  }

  /**
   * Sub-states of all rows. Some low halves take the rows at random, in stretches of any length;
   * each is flushed now and then, and when it asks for it.
   */
  public static List<byte[]> subStates(BoundUdaf function, TestRows rows, Random random) {
    SubAggregate low = function.subAggregate();
    int words = low.words();
    int halves = 1 + random.nextInt(4);
    int word = random.nextInt(3);
    int stride = word + words + 1;
    long[] pads = new long[halves * stride];
    Arrays.fill(pads, GUARD);
    for (int h = 0; h < halves; h++) {
      low.initialize(pads, h * stride + word);
    }
    List<byte[]> sent = new ArrayList<>();
    Vector[] vectors = rows.vectors();
    int[] selection = new int[Vector.CAPACITY];
    int[] places = new int[Vector.CAPACITY];
    double flushes = random.nextInt(3) * 0.2;
    boolean longStretches = random.nextBoolean();
    for (int begin = 0; begin < rows.size(); ) {
      int most = Math.min(rows.size() - begin, Vector.CAPACITY);
      int count = longStretches ? most : 1 + random.nextInt(Math.min(most, 60));
      rows.fill(vectors, begin, count);
      // Selected rows may be at any places of the vectors.
      int offset = random.nextInt(2);
      for (int r = 0; r < count; r++) {
        selection[r] = offset == 0 ? r : count - 1 - r;
        places[r] = random.nextInt(halves) * stride;
      }
      int from = 0;
      int cut = random.nextInt(count + 1);
      for (int to : new int[] {cut, count}) {
        from = iterate(low, vectors, selection, from, to, pads, places, word, sent);
      }
      begin += count;
      for (int h = 0; h < halves; h++) {
        if (random.nextDouble() < flushes) {
          flush(low, pads, h * stride + word, sent);
          low.initialize(pads, h * stride + word);
        }
      }
      if (random.nextInt(8) == 0) {
        pads = moved(pads, words, stride, word, halves);
      }
    }
    for (int h = 0; h < halves; h++) {
      flush(low, pads, h * stride + word, sent);
      low.destroy(pads, h * stride + word);
      for (int w = 0; w < stride; w++) {
        boolean own = w >= word && w < word + words;
        assertTrue(own || pads[h * stride + w] == GUARD, "a pad was written beyond its words");
      }
    }
    return sent;
  }

  private static int iterate(
      SubAggregate low,
      Vector[] vectors,
      int[] selection,
      int from,
      int to,
      long[] pads,
      int[] places,
      int word,
      List<byte[]> sent) {
    int next = from;
    int fresh = -1;
    while (next < to) {
      int reached = low.iterate(vectors, selection, next, to, pads, places, word);
      assertTrue(reached >= next && reached <= to, "rows " + next + " " + reached + " " + to);
      if (reached < to) {
        assertTrue(reached != fresh, "a pad without rows did not take row " + reached);
        fresh = reached;
        flush(low, pads, places[reached] + word, sent);
        low.initialize(pads, places[reached] + word);
      }
      next = reached;
    }
    return to;
  }

  private static void flush(SubAggregate low, long[] pads, int at, List<byte[]> sent) {
    StateSink sink = new StateSink();
    sink.putByte(0);
    low.output(pads, at, sink);
    sent.add(Arrays.copyOfRange(sink.array(), 1, sink.size()));
  }

  private static long[] moved(long[] pads, int words, int stride, int word, int halves) {
    long[] elsewhere = new long[pads.length];
    Arrays.fill(elsewhere, GUARD);
    for (int h = 0; h < halves; h++) {
      System.arraycopy(pads, h * stride + word, elsewhere, h * stride + word, words);
    }
    return elsewhere;
  }

  /** The state after merging sub-states. */
  public static SuperState merged(
      SuperAggregate high, List<byte[]> subStates, Tree tree, Random random) {
    List<SuperState> states = new ArrayList<>();
    states.add(high.initialize());
    for (byte[] bytes : subStates) {
      if (tree == Tree.ONE) {
        merge(states.get(0), bytes);
        continue;
      }
      if (tree != Tree.RANDOM || random.nextInt(3) == 0) {
        states.add(high.initialize());
      }
      merge(states.get(states.size() - 1), bytes);
    }
    while (states.size() > 1) {
      int into = tree == Tree.RANDOM ? random.nextInt(states.size()) : 0;
      int from = tree == Tree.RANDOM ? random.nextInt(states.size()) : 1;
      if (into != from) {
        SuperState target = states.get(into);
        SuperState other = states.get(from);
        if (random.nextBoolean()) {
          target.merge(other);
        } else {
          merge(target, bytes(other));
        }
        other.destroy();
        states.remove(from);
        if (tree == Tree.BALANCED) {
          states.remove(target);
          states.add(target);
        }
      }
    }
    return states.get(0);
  }

  /** Merges bytes that lie somewhere in an array. */
  public static void merge(SuperState state, byte[] bytes) {
    byte[] around = new byte[bytes.length + 5];
    System.arraycopy(bytes, 0, around, 3, bytes.length);
    state.merge(new StateReader(around, 3, 3 + bytes.length, "a state"));
  }

  public static byte[] bytes(SuperState state) {
    StateSink sink = new StateSink();
    sink.putByte(0);
    state.output(sink);
    return Arrays.copyOfRange(sink.array(), 1, sink.size());
  }
}
