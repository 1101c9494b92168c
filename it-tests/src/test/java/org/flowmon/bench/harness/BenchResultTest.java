package org.flowmon.bench.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class BenchResultTest {
  @Test
  void aRowIsSaidAsASentence() {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("items", "numbers");
    row.put("off_by_one", 0.8262626262626263);
    row.put("strategy", "adaptive");
    row.put("items_asked", 49_500L);
    assertEquals(
        "numbers, adaptive: off by one 0.8263, items asked 49,500", BenchResult.sentence(row));
    assertEquals("count 1", BenchResult.sentence(Map.of("count", 1L)));
    assertEquals("a", BenchResult.sentence(Map.of("name", "a")));
  }

  @Test
  void tablesThatWereMergedAreReadAsTheyWere() throws Exception {
    BenchResult first = new BenchResult("first");
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("name", "a \"b\" ü");
    row.put("count", Long.MAX_VALUE);
    row.put("rate", 0.1 + 0.2);
    first.row(row);
    first.row(Map.of("rate", -1e300));
    BenchResult second = new BenchResult("second");
    second.row(Map.of("count", -3L));
    String json = BenchResult.merged("both", List.of(first, second)).toJson();
    List<BenchResult> read = BenchResult.read(json.getBytes(StandardCharsets.UTF_8));
    assertEquals(List.of("first", "second"), read.stream().map(BenchResult::bench).toList());
    assertEquals(first.rows(), read.get(0).rows());
    assertEquals(second.rows(), read.get(1).rows());
  }
}
