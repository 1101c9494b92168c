package org.flowmon.archive.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.query.Traffic;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.value.AnswerTooLargeException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Addresses that speak with very many, between ports that do not say who is the server. */
class HostMemoryTest {
  /** Has as many peers as conversations. */
  private static final IpAddress KNOWN = IpAddress.parse("10.0.0.1");

  /** Has many conversations with each of its peers. */
  private static final IpAddress BUSY = IpAddress.parse("10.0.0.2");

  private static final int CONVERSATIONS = 50_000;
  private static final int BUSY_PEERS = 1000;

  @TempDir private static Path folder;

  @BeforeAll
  static void write() throws Exception {
    try (Archive archive = Archive.openOrCreate(folder, ArchiveOptions.DEFAULTS)) {
      Traffic.commit(archive, batches(KNOWN, CONVERSATIONS));
      Traffic.commit(archive, batches(BUSY, BUSY_PEERS));
    }
  }

  /** A peer begins from a port of its own and is answered. */
  private static List<FlowBatch> batches(IpAddress host, int peers) {
    List<FlowBatch> batches = new ArrayList<>();
    FlowBatchBuilder rows = new FlowBatchBuilder(1000);
    for (int i = 0; i < CONVERSATIONS; i++) {
      IpAddress peer = IpAddress.ofIpv4(0xC000_0000 + i % peers);
      int port = 30_000 + i / peers * 7 + i % 7;
      row(rows, peer, port, host, 2000, 0);
      row(rows, host, 2000, peer, port, 1000);
      if (rows.isFull() || i == CONVERSATIONS - 1) {
        batches.add(FlowBatch.open(rows.build(1, batches.size(), 0, 0)));
        rows.clear();
      }
    }
    return batches;
  }

  private static void row(
      FlowBatchBuilder rows, IpAddress from, int port, IpAddress to, int toPort, long later) {
    rows.beginRow();
    rows.set(FlowColumn.START_TIME, Traffic.BEGIN + later);
    rows.set(FlowColumn.END_TIME, Traffic.BEGIN + 2000);
    rows.set(FlowColumn.ARRIVAL, Traffic.BEGIN + 3000);
    rows.setAddress(FlowColumn.SRC_ADDR, from);
    rows.setAddress(FlowColumn.DST_ADDR, to);
    rows.set(FlowColumn.SRC_PORT, port);
    rows.set(FlowColumn.DST_PORT, toPort);
    rows.set(FlowColumn.PROTOCOL, 17);
    rows.set(FlowColumn.BYTES, later == 0 ? 100 : 300);
    rows.set(FlowColumn.PACKETS, 1);
    rows.endRow();
  }

  private static HostSummary summary(IpAddress host, QueryOptions options) throws IOException {
    try (Archive archive = Archive.openOrCreate(folder, ArchiveOptions.DEFAULTS);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      HostSummary summary =
          HostSummaries.of(
              List.of(snapshot), host, Long.MIN_VALUE, Long.MAX_VALUE, Long.MIN_VALUE, options);
      assertEquals(2L * CONVERSATIONS, summary.flows());
      assertEquals(host.equals(BUSY) ? BUSY_PEERS : CONVERSATIONS, summary.peers().size());
      assertEquals(BigInteger.valueOf(300L * CONVERSATIONS), summary.sent());
      assertEquals(BigInteger.valueOf(100L * CONVERSATIONS), summary.received());
      return summary;
    }
  }

  @Test
  void lessMemoryFirstCostsWhoBeganAndThenTheAnswer() throws Exception {
    HostSummary all = summary(BUSY, QueryOptions.DEFAULTS.withGroupMemory(1L << 30));
    assertEquals(List.of(), all.warnings());
    assertEquals(1, all.services().size(), "the peers began");
    assertEquals(2000L, all.services().get(0).port());
    assertEquals(BUSY_PEERS, all.services().get(0).peers());
    for (IpAddress host : List.of(KNOWN, BUSY)) {
      List<Integer> ways = new ArrayList<>();
      for (int megabytes = 2; megabytes <= 128; megabytes *= 2) {
        ways.add(way(host, megabytes));
      }
      assertEquals(ways.stream().sorted().toList(), ways, "more memory never says less");
      int least = host.equals(KNOWN) ? 0 : 1;
      assertTrue(ways.containsAll(List.of(least, 2)), host + ": " + ways);
    }
  }

  /** 0: no answer, 1: without who began, 2: all. */
  private static int way(IpAddress host, int megabytes) throws IOException {
    HostSummary summary;
    try {
      summary = summary(host, QueryOptions.DEFAULTS.withGroupMemory((long) megabytes << 20));
    } catch (AnswerTooLargeException e) {
      assertTrue(e.isOfMemory() && e.getMessage().contains(" MiB of heap"), e.getMessage());
      return 0;
    }
    if (summary.warnings().isEmpty()) {
      return 2;
    }
    assertEquals(1, summary.warnings().size());
    assertTrue(
        summary.warnings().get(0).startsWith("the lower port counts"), summary.warnings().get(0));
    return 1;
  }

  /** What is charged is what is taken: no heap is too small to say so. */
  @Test
  void noHeapOverflows() throws Exception {
    List<String> outcomes = new ArrayList<>();
    for (int megabytes : new int[] {64, 256}) {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx" + megabytes + "m",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Child.class.getName(),
                  folder.toString())
              .redirectErrorStream(true)
              .start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(0, process.waitFor(), megabytes + " MiB: " + said);
      outcomes.add(said.strip().lines().reduce((one, next) -> next).orElse(""));
    }
    assertEquals("too large", outcomes.get(0), outcomes::toString);
    assertEquals("all", outcomes.get(outcomes.size() - 1), outcomes::toString);
  }

  /** Summarises the host in a process of its own, with the default part of its heap. */
  static final class Child {
    private Child() {}

    public static void main(String[] arguments) throws IOException {
      folder = Path.of(arguments[0]);
      try {
        HostSummary summary = summary(KNOWN, QueryOptions.DEFAULTS.withThreads(2));
        System.out.println(summary.warnings().isEmpty() ? "all" : "without who began");
      } catch (AnswerTooLargeException e) {
        System.out.println("too large");
      }
    }
  }
}
