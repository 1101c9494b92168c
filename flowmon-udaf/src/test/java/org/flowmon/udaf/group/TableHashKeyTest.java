package org.flowmon.udaf.group;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.TableHash;
import org.flowmon.udaf.RandomFlows;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.window.WindowTables;
import org.junit.jupiter.api.Test;

/** Bytes that leave a process do not depend on the key of its {@link TableHash}. */
class TableHashKeyTest {
  private static final WindowSpec WINDOW = WindowSpec.tumbling(1_000_000, 0);
  private static final String[] QUERIES = {
    "SELECT src_addr, dst_port, SUM(bytes) AS b, MIN(packets) AS m FROM flows"
        + " GROUP BY src_addr, dst_port",
    "SELECT src_addr, service, SUM(bytes) AS b FROM flows GROUP BY src_addr, service"
        + " ORDER BY b DESC LIMIT 10 BY src_addr",
    "SELECT src_addr, COUNT(DISTINCT dst_port) AS d FROM flows GROUP BY src_addr",
    "SELECT outgoing, TOTAL(HEAVY_HITTERS(src_addr, bytes, 16, 2, 'buffer/direct')) AS h,"
        + " TOTAL(HEAVY_HITTERS(dst_addr, bytes, 16, 2, 'buffer/adaptive', 40)) AS a,"
        + " TOTAL(HEAVY_HITTERS(dst_addr, bytes, 16, 2, 'sketch/sketch')) AS k,"
        + " CARDINALITY(DISTINCT_SAMPLE(src_addr, 16)) AS s,"
        + " CARDINALITY(APPROX_COUNT_DISTINCT(dst_addr, 7)) AS d FROM flows GROUP BY outgoing",
    frequentItems(),
  };
  // The others are approximate.
  private static final int EXACT_QUERIES = 3;

  /** With maps of 64 … 8192 slots, all of which drop items. */
  private static String frequentItems() {
    StringBuilder columns = new StringBuilder();
    for (int width = 64; width <= 8192; width *= 2) {
      columns
          .append(", TOP(HEAVY_HITTERS(src_addr, bytes, ")
          .append(width)
          .append(", 2, 'buffer/frequent'), 100) AS t")
          .append(width);
    }
    return "SELECT outgoing" + columns + " FROM flows GROUP BY outgoing";
  }

  /** Own classes, with a key made from a seed; without a seed it is random. */
  private static Class<?> withKey(Long seed, String name) throws Exception {
    List<URL> path = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      path.add(url(entry));
    }
    ClassLoader loader =
        new URLClassLoader(path.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
    String before = System.clearProperty(TableHash.SEED_PROPERTY);
    try {
      if (seed != null) {
        System.setProperty(TableHash.SEED_PROPERTY, seed.toString());
      }
      Class.forName(TableHash.class.getName(), true, loader);
    } finally {
      System.clearProperty(TableHash.SEED_PROPERTY);
      if (before != null) {
        System.setProperty(TableHash.SEED_PROPERTY, before);
      }
    }
    return Class.forName(name, true, loader);
  }

  private static URL url(String entry) throws MalformedURLException {
    return Path.of(entry).toUri().toURL();
  }

  @SuppressWarnings("unchecked") // it has a class loader of its own
  private static UnaryOperator<byte[][]> withKey(long seed, Class<?> work) throws Exception {
    var constructor = withKey(seed, work.getName()).getDeclaredConstructor();
    constructor.setAccessible(true);
    return (UnaryOperator<byte[][]>) constructor.newInstance();
  }

  @Test
  void eachProcessDrawsAKeyOfItsOwn() throws Exception {
    List<Object> hashes = new ArrayList<>();
    for (int process = 0; process < 3; process++) {
      Class<?> hash = withKey(null, TableHash.class.getName());
      hashes.add(hash.getMethod("of", long.class, long.class).invoke(null, 1L, 2L));
    }
    assertEquals(3, hashes.stream().distinct().count(), hashes.toString());
    assertNotEquals(
        withKey(1L, TableHash.class.getName()).getMethod("of", long.class).invoke(null, 1L),
        withKey(2L, TableHash.class.getName()).getMethod("of", long.class).invoke(null, 1L));
  }

  /** Partial groups of one process are merged by two others. */
  @Test
  void statesAndResultsOfEqualPartialGroupsAreTheSameBytes() throws Exception {
    byte[][] sent = withKey(1, LowLevelWork.class).apply(new byte[0][]);
    byte[][] first = withKey(2, MergeWork.class).apply(sent);
    byte[][] second = withKey(3, MergeWork.class).apply(sent);
    assertFalse(first.length == 0);
    assertEquals(first.length, second.length);
    for (int i = 0; i < first.length; i++) {
      assertArrayEquals(first[i], second[i], "part " + i);
    }
  }

  /** The key decides which groups leave a small table and when, but not the results. */
  @Test
  void resultsOfExactAggregatesAreTheSameBytesWithAnyKey() throws Exception {
    List<byte[][]> results = new ArrayList<>();
    List<byte[][]> partials = new ArrayList<>();
    for (long key = 1; key <= 3; key++) {
      byte[][] sent = withKey(key, LowLevelWork.class).apply(new byte[0][]);
      partials.add(sent);
      results.add(withKey(key, ResultWork.class).apply(sent));
    }
    assertFalse(Arrays.deepEquals(partials.get(0), partials.get(1)), "tables go by the key");
    for (int q = 0; q < EXACT_QUERIES; q++) {
      assertArrayEquals(results.get(0)[q], results.get(1)[q], QUERIES[q]);
      assertArrayEquals(results.get(0)[q], results.get(2)[q], QUERIES[q]);
    }
  }

  /** Sends the partial groups of all queries, each after the number of its query. */
  static final class LowLevelWork implements UnaryOperator<byte[][]> {
    @Override
    public byte[][] apply(byte[][] none) {
      List<byte[]> sent = new ArrayList<>();
      for (int q = 0; q < QUERIES.length; q++) {
        byte number = (byte) q;
        LowLevelQuery low =
            new LowLevelQuery(
                7,
                QueryParser.parse(QUERIES[q]),
                WINDOW,
                64,
                1,
                (group, bytes) -> {
                  sent.add(new byte[] {number});
                  sent.add(bytes);
                });
        List<FlowBatch> batches =
            switch (q) {
              case 3 -> List.of(ofManyItems());
              case 4 -> List.of(ofMoreItemsThanMapsHold());
              default -> new RandomFlows(5).within(900_000).batches(20, 200);
            };
        for (FlowBatch batch : batches) {
          low.process(batch);
          low.drainAll();
        }
      }
      return sent.toArray(new byte[0][]);
    }
  }

  /** More addresses of IPv6 than the sketches above keep. */
  private static FlowBatch[] ofManyItems() {
    Random random = new Random(5);
    return ChosenKeys.batches(
        4_000,
        (builder, i) -> {
          int item = (int) Math.pow(300, random.nextDouble());
          builder.set(FlowColumn.OUTGOING, i % 2);
          builder.setAddress(FlowColumn.SRC_ADDR, ChosenKeys.anyAddress(item));
          builder.setAddress(FlowColumn.DST_ADDR, ChosenKeys.anyAddress(item + i % 7));
        });
  }

  /** A third of skewed items, the others equally frequent: some 10,000 in each group. */
  private static FlowBatch[] ofMoreItemsThanMapsHold() {
    Random random = new Random(6);
    return ChosenKeys.batches(
        40_000,
        (builder, i) -> {
          int item =
              i % 3 == 0 ? (int) Math.pow(20_000, random.nextDouble()) : random.nextInt(20_000);
          builder.set(FlowColumn.OUTGOING, i / 3 % 2);
          builder.setAddress(FlowColumn.SRC_ADDR, ChosenKeys.anyAddress(item));
        });
  }

  private static List<byte[]> merge(byte[][] sent, boolean states) {
    List<byte[]> made = new ArrayList<>();
    for (int q = 0; q < QUERIES.length; q++) {
      FlowQuery query = QueryParser.parse(QUERIES[q]);
      WindowTables tables = new WindowTables(7, query, WINDOW);
      for (int i = 0; i < sent.length; i += 2) {
        if (sent[i][0] == q) {
          tables.merge(PartialGroups.open(sent[i + 1]));
        }
      }
      if (states) {
        made.add(tables.toBytes());
      }
      StringBuilder results = new StringBuilder();
      tables.closeUpTo(
          Long.MAX_VALUE / 4,
          part -> {
            if (states) {
              made.add(part.toBytes());
            }
            results.append(part.result());
          });
      made.add(results.toString().getBytes(StandardCharsets.UTF_8));
    }
    return made;
  }

  /** States, parts of windows and results of partial groups. */
  static final class MergeWork implements UnaryOperator<byte[][]> {
    @Override
    public byte[][] apply(byte[][] sent) {
      return merge(sent, true).toArray(new byte[0][]);
    }
  }

  /** Results alone, of each query. */
  static final class ResultWork implements UnaryOperator<byte[][]> {
    @Override
    public byte[][] apply(byte[][] sent) {
      return merge(sent, false).toArray(new byte[0][]);
    }
  }
}
