package org.flowmon.archive.index;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.roaringbitmap.RoaringBitmap;

class RowSetTest {
  private static final int ROWS = 9000;

  private static RowSet random(Random random, Set<Integer> model) {
    switch (random.nextInt(5)) {
      case 0 -> {
        return RowSet.none();
      }
      case 1 -> {
        int from = random.nextInt(ROWS);
        int to = from + random.nextInt(ROWS - from);
        IntStream.range(from, to).forEach(model::add);
        return RowSet.range(from, to);
      }
      default -> {
        int n = random.nextBoolean() ? random.nextInt(20) : random.nextInt(6000);
        random.ints(n, 0, ROWS).forEach(model::add);
      }
    }
    int[] rows = model.stream().mapToInt(Integer::intValue).toArray();
    return random.nextBoolean()
        ? RowSet.of(rows, rows.length)
        : RowSet.of(RoaringBitmap.bitmapOf(rows));
  }

  private static void check(SortedSet<Integer> model, RowSet set, String at) {
    assertArrayEquals(model.stream().mapToInt(Integer::intValue).toArray(), set.toArray(), at);
    assertEquals(model.size(), set.size(), at);
    assertEquals(model.isEmpty(), set.isEmpty(), at);
    if (!model.isEmpty()) {
      assertEquals(model.first(), set.first(), at);
      assertEquals(model.last(), set.last(), at);
    }
    for (int row = 0; row < ROWS; row += 7) {
      assertEquals(model.contains(row), set.contains(row), at);
    }
  }

  @Test
  void slicesAreTheSetInOrder() {
    for (long seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      TreeSet<Integer> model = new TreeSet<>();
      RowSet set = random(random, model);
      int parts = 1 + random.nextInt(5);
      List<Integer> joined = new ArrayList<>();
      for (int part = 0; part < parts; part++) {
        int begin = model.size() * part / parts;
        int end = model.size() * (part + 1) / parts;
        int[] rows = set.slice(begin, end).toArray();
        assertEquals(end - begin, rows.length, "part " + part + ", seed " + seed);
        Arrays.stream(rows).forEach(joined::add);
      }
      assertEquals(new ArrayList<>(model), joined, "seed " + seed);
    }
  }

  @Test
  void setsOfAnyFormBehaveLikeSets() {
    for (long seed = 0; seed < 600; seed++) {
      Random random = new Random(seed);
      TreeSet<Integer> modelA = new TreeSet<>();
      TreeSet<Integer> modelB = new TreeSet<>();
      RowSet a = random(random, modelA);
      RowSet b = random(random, modelB);
      TreeSet<Integer> both = new TreeSet<>(modelA);
      both.retainAll(modelB);
      TreeSet<Integer> either = new TreeSet<>(modelA);
      either.addAll(modelB);
      check(both, a.and(b), "and, seed " + seed);
      check(either, a.or(b), "or, seed " + seed);
      check(modelA, a, "unchanged, seed " + seed);
      check(modelB, b, "unchanged, seed " + seed);
    }
  }
}
