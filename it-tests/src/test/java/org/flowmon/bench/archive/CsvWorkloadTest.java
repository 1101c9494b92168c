package org.flowmon.bench.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CsvWorkloadTest {
  private static final String HEADER =
      "ts,src_ip,dst_ip,src_port,dst_port,protocol,bytes_sent,bytes_recv,outgoing,state,duration\n";
  private static final String ROW =
      "1767225600,167772161,3232235777,40000,443,6,1000,2000,1,2,150\n";
  private static final String PARAMETERS =
      "{\"n\": 2, \"t0\": 1767225600, \"t1\": 1767830400, \"src100\": [167772161, 7], \"hours\":"
          + " [[1767276000, 1767279600], [1767362400, 1767366000]], \"mice_hours\": 24,"
          + " \"prefixes16\": [[167772160, 167837695]], \"lookups\": {\"hot\": 1, \"warm\": 2,"
          + " \"cool\": 3, \"cold\": 4, \"absent\": 5}}";

  @TempDir Path folder;

  private CsvWorkload workload(String rows, String parameters) throws IOException {
    Path file = folder.resolve("flows.csv");
    Path beside = folder.resolve("flows.params.json");
    Files.writeString(file, rows);
    Files.writeString(beside, parameters);
    return new CsvWorkload(file, beside);
  }

  private String refusal(String rows) throws IOException {
    CsvWorkload workload = workload(rows, PARAMETERS);
    return assertThrows(IOException.class, () -> workload.read(block -> {})).getMessage();
  }

  @Test
  void everyColumnIsRead() throws Exception {
    CsvWorkload workload = workload(HEADER + ROW + ROW.replace(",150", ",7"), PARAMETERS);
    assertEquals(List.of(167772161L, 7L), workload.parameters().sources());
    assertEquals(List.of(1767276000L, 1767362400L), workload.parameters().hours());
    assertEquals(List.of(167772160L), workload.parameters().networks());
    assertEquals(5, workload.parameters().lookups().get("absent"));
    List<Long> values = new ArrayList<>();
    workload.read(
        block -> {
          assertEquals(2, block.rows());
          WorkloadColumn.all().forEach(column -> values.add(block.column(column)[0]));
          values.add(block.column(WorkloadColumn.DURATION)[1]);
        });
    assertEquals(
        List.of(
            1767225600L, 167772161L, 3232235777L, 40000L, 443L, 6L, 1000L, 2000L, 1L, 2L, 150L, 7L),
        values);
  }

  @Test
  void whatIsNoRowIsRefusedWithItsLineAndColumn() throws Exception {
    assertTrue(refusal("a,b\n").contains("line 1: expected the header"));
    assertTrue(refusal(HEADER + ROW + ROW.replace("443", "70000")).contains("line 3, dst_port"));
    assertTrue(refusal(HEADER + ROW.replace(",443", ",x")).contains("line 2, dst_port"));
    assertTrue(refusal(HEADER + ROW.replace(",150", "")).contains("line 2, state"));
    assertTrue(
        refusal(HEADER + ROW.replace("1767225600", "99999999999999999999")).contains("line 2, ts"));
    assertTrue(refusal(HEADER + ROW + "176").contains("line 3: the file ends within a row"));
    assertTrue(refusal(HEADER + ROW).contains("has 1 rows, its parameters say 2"));
  }

  @Test
  void parametersThatFitNoQueryAreRefused() {
    for (String hurt :
        List.of(
            PARAMETERS.replace("1767279600", "1767279601"),
            PARAMETERS.replace("167772160", "167772161"),
            PARAMETERS.replace("\"cold\": 4,", ""),
            PARAMETERS.replace("\"n\": 2,", ""),
            PARAMETERS.substring(0, 100))) {
      IOException refused =
          assertThrows(IOException.class, () -> workload(HEADER + ROW + ROW, hurt), hurt);
      assertTrue(refused.getMessage().contains("flows.params.json"), refused::getMessage);
    }
  }
}
