package org.flowmon.deploy.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.Flowmon;
import org.flowmon.deploy.command.ExitCodes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class QueryCommandTest {
  private static final String LINE =
      "{\"ts\":1700000000.5,\"uid\":\"C1\",\"id.orig_h\":\"192.0.2.1\",\"id.orig_p\":%d,"
          + "\"id.resp_h\":\"192.0.2.2\",\"id.resp_p\":53,\"proto\":\"udp\",\"duration\":1.5}\n";

  @TempDir Path folder;
  private String out;
  private String err;

  private int run(String... arguments) {
    CommandRun run = CommandRun.of((Object[]) arguments);
    out = run.out();
    err = run.err();
    return run.code();
  }

  private int query(String... arguments) {
    String[] all = new String[arguments.length + 3];
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    all[0] = "query";
    all[all.length - 2] = "--archive";
    all[all.length - 1] = folder.resolve("archive").toString();
    return run(all);
  }

  @BeforeEach
  void fill() throws Exception {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 50; i++) {
      lines.append(LINE.formatted(1000 + i));
    }
    Path file = Files.writeString(folder.resolve("conn.log"), lines);
    assertEquals(
        0, run("import", file.toString(), "--archive", folder.resolve("archive").toString()));
  }

  @Test
  void explainsHowSegmentsWereRead() {
    String sql = "SELECT COUNT(*) AS n FROM flows WHERE src_port > 1040";
    for (String[] asked : new String[][] {{" explain " + sql}, {sql, "--explain"}}) {
      assertEquals(0, query(asked));
      String[] lines = out.lines().toArray(String[]::new);
      assertTrue(
          lines[0].matches(
              "step +by +pieces +flows +planned +examined +kept +values +sums +planned_bytes"
                  + " +bytes"),
          lines[0]);
      assertTrue(out.contains("group by nothing: hash tables"), out);
      assertTrue(out.contains("└─ read segments: 1 of 1, pieces: 1, threads: 1"), out);
      String row = lines[lines.length - 1];
      assertTrue(row.matches("   └─ segment \\S+ +scan +1 +50 +50 +50 +9 +0 +0 +\\d+ +\\d+"), row);
      assertTrue(
          err.contains("1 segments: 0 left out by the host directory, 0 by their times"), err);
    }
  }

  @Test
  void joinsTheFilesOfTheJobsConfigurationAndSaysWhichVersion() throws IOException {
    Path networks =
        Files.writeString(folder.resolve("n.csv"), "network,name\n192.0.2.0/31,\"ours, all\"\n");
    Path job =
        Files.writeString(
            folder.resolve("job.yaml"),
            "kafka: {bootstrap: 'x:1'}\nenrichment: {networks: " + networks + "}\n");
    String sql =
        "SELECT src_network, dst_network, dst_port_name, src_country, COUNT(*) AS n FROM flows"
            + " WHERE src_network = 'ours, all'"
            + " GROUP BY src_network, dst_network, dst_port_name, src_country";
    assertEquals(0, query(sql, "--enrich", job.toString(), "--format", "csv", "-v"));
    assertEquals(
        "src_network,dst_network,dst_port_name,src_country,n\n\"ours, all\",,domain,,50\n", out);
    assertTrue(err.contains("src_country is NULL: " + job + " has no enrichment.country\n"), err);
    assertTrue(err.contains("joined: networks " + networks + " of "), err);
    assertEquals(0, query(sql, "--format", "csv"));
    assertEquals("src_network,dst_network,dst_port_name,src_country,n\n", out);
    assertTrue(
        err.contains("src_network is NULL: give --enrich FILE, a file with enrichment.networks"),
        err);
    Files.writeString(networks, "network,name\n192.0.2.0,a\n192.0.2.0/32,b\n");
    assertEquals(0, query(sql, "--enrich", job.toString(), "--format", "csv"));
    assertTrue(
        err.contains(
            networks
                + ":3: network 192.0.2.0/32 is in line 2, too; expected it once; what it"
                + " would give is NULL"),
        err);
  }

  @Test
  void aFileToBeJoinedThatIsMissingIsToldOfOnce() throws IOException {
    Path job =
        Files.writeString(folder.resolve("job.yaml"), "enrichment: {networks: /no/such.csv}\n");
    String sql =
        "SELECT src_network, dst_network, COUNT(*) AS n FROM flows WHERE src_network IS NULL"
            + " GROUP BY src_network, dst_network";
    assertEquals(0, query(sql, "--enrich", job.toString(), "--format", "csv"));
    assertEquals("src_network,dst_network,n\n,,50\n", out);
    assertEquals(
        List.of(
            "enrichment.networks: /no/such.csv: there is no such file; what it would give is"
                + " NULL"),
        err.lines().filter(line -> line.contains("such.csv")).toList());
    assertEquals(2, query(sql, "--enrich", folder.resolve("none.yaml").toString()));
    assertTrue(err.contains("none.yaml"), err);
  }

  @Test
  void anErrorInTheFileOfEnrichNamesItsLine() throws IOException {
    Path job = Files.writeString(folder.resolve("job.yaml"), "enrichment:\n  contry: x.mmdb\n");
    assertEquals(2, query("SELECT src_country FROM flows", "--enrich", job.toString()));
    assertTrue(
        err.contains(job + ":2: enrichment.contry: is not a key here; expected one of inside"),
        err);
  }

  /** Standard output that is closed after some bytes, as by {@code head}. */
  private static final class ClosedPipe extends OutputStream {
    private int left;
    private int refused;

    ClosedPipe(int left) {
      this.left = left;
    }

    @Override
    public void write(int b) throws IOException {
      if (left == 0) {
        refused++;
        throw new IOException("Broken pipe");
      }
      left--;
    }
  }

  @Test
  void aQueryWhoseOutputNobodyReadsAnyMoreEndsSilently() {
    for (String format : List.of("table", "csv", "json")) {
      for (int taken : new int[] {0, 1, 100}) {
        ClosedPipe pipe = new ClosedPipe(taken);
        PrintStream before = System.out;
        PrintStream errors = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setOut(new PrintStream(pipe, false, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
        int code;
        try {
          code =
              Flowmon.commandLine()
                  .execute(
                      "query",
                      "SELECT * FROM flows LIMIT 40",
                      "--format",
                      format,
                      "--archive",
                      folder.resolve("archive").toString());
        } finally {
          System.setOut(before);
          System.setErr(errors);
        }
        String context = format + " closed after " + taken + " bytes";
        assertEquals(141, code, context);
        assertEquals("", said.toString(StandardCharsets.UTF_8), context);
        assertTrue(pipe.refused <= 10, context + ": wrote on, " + pipe.refused + " times");
      }
    }
  }

  /** The times of flows before and after the present, in minutes. */
  private Path flowsAround(Instant now, long... minutes) throws IOException {
    StringBuilder csv = new StringBuilder("end_time,src_addr,bytes\n");
    for (long one : minutes) {
      csv.append(now.plus(one, ChronoUnit.MINUTES)).append(",192.0.2.7,").append(1000 + one);
      csv.append('\n');
    }
    Path file = Files.writeString(folder.resolve("around.csv"), csv);
    Path around = folder.resolve("around");
    assertEquals(0, run("import", file.toString(), "--archive", around.toString()));
    return around;
  }

  @Test
  void nowIsThePresentWithoutAValueAndTheGivenTimeWithOne() throws IOException {
    Instant before = Instant.now().truncatedTo(ChronoUnit.MICROS);
    Path around = flowsAround(before, -600, -90, -30, -3, 30);
    for (String name : List.of("NOW()", ":now")) {
      String sql =
          "SELECT %1$s AS t, bytes FROM flows WHERE end_time > %1$s - INTERVAL '1' HOUR AND end_time <= %1$s ORDER BY bytes"
              .formatted(name);
      String[] command = {"query", sql, "--format", "csv", "--archive", around.toString()};
      assertEquals(0, run(command), err);
      List<String> rows = out.lines().toList();
      // Of the past hour are the flows 30 and 3 minutes ago.
      assertEquals(3, rows.size(), name + "\n" + out);
      assertEquals("970", rows.get(1).split(",", -1)[1]);
      assertEquals("997", rows.get(2).split(",", -1)[1]);
      String text = rows.get(1).split(",", -1)[0];
      Instant now = Instant.parse(text);
      assertTrue(!now.isBefore(before) && !now.isAfter(Instant.now()), before + " … " + text);
      assertTrue(err.contains("now: " + text + " (--param now=TIME asks of another time)"), err);
      // What it prints gives the answer again.
      String again = out;
      assertEquals(0, run(with(command, "--param", "now=" + text)), err);
      assertEquals(again, out);
      assertFalse(err.contains("now: "), err);
      String given = before.minus(80, ChronoUnit.MINUTES).toString();
      assertEquals(0, run(with(command, "--param", "now=" + given)), err);
      assertEquals(List.of("t,bytes", given + ",910"), out.lines().toList(), name);
    }
    assertEquals(
        0,
        run(
            "query",
            "SELECT NOW() = :now AS same, DAYS_BEFORE(NOW() - INTERVAL '25' HOUR, :now) AS days"
                + " FROM flows LIMIT 1",
            "--format",
            "csv",
            "--archive",
            around.toString()));
    assertEquals("same,days\ntrue,2\n", out);
  }

  private static String[] with(String[] command, String... more) {
    return Stream.concat(Stream.of(command), Stream.of(more)).toArray(String[]::new);
  }

  @Test
  void offsetPagesAreThoseOfTheWholeAnswer() {
    String sql = "SELECT src_port FROM flows ORDER BY src_port DESC";
    assertEquals(0, query(sql, "--format", "csv"));
    List<String> all = out.lines().skip(1).toList();
    List<String> pages = new ArrayList<>();
    for (int offset = 0; offset < 60; offset += 7) {
      assertEquals(0, query(sql + " LIMIT 7 OFFSET " + offset, "--format", "csv"));
      pages.addAll(out.lines().skip(1).toList());
    }
    assertEquals(all, pages);
    assertEquals(0, query("SELECT * FROM flows ORDER BY src_port LIMIT 1 OFFSET 49"));
    assertTrue(out.contains("1049"), out);
    assertFalse(out.contains("next_hop"), "columns without a value are left out\n" + out);
    assertEquals(0, query("SELECT * FROM flows ORDER BY src_port LIMIT 1 OFFSET 50"));
    assertEquals(
        0, query("SELECT state, source_kind FROM flows LIMIT 1 OFFSET 3", "--format", "json"));
    assertTrue(out.contains("\"source_kind\":\"zeek\""), out);
    assertEquals(2, query("SELECT src_port FROM flows OFFSET -1"));
    assertTrue(err.contains("expected a number of rows"), err);
  }

  @Test
  void havingKeepsGroupsAndIsExplained() {
    String sql =
        "SELECT src_port % 10 AS digit, SUM(src_port) AS total, MAX(src_port) / COUNT(*) AS x FROM"
            + " flows GROUP BY digit HAVING total > 5125 AND digit <> 9 LIMIT 3";
    assertEquals(0, query(sql, "--format", "csv"));
    // Ports 1000 … 1049: each digit d has five, with the sum 5100 + 5 d and the largest 1040 + d.
    assertEquals("digit,total,x\n6,5130,209.2\n7,5135,209.4\n8,5140,209.6\n", out);
    assertEquals(0, query("EXPLAIN " + sql));
    assertTrue(
        err.contains(
            "those were kept for which (SUM(src_port) > 5125) AND ((src_port % 10) <> 9): 3 rows,"
                + " at most 3"),
        err);
    assertEquals(ExitCodes.USAGE, query("SELECT uid FROM flows HAVING uid = 'a'"));
    assertTrue(err.contains("line 1:23: HAVING keeps groups, and there are none"), err);
  }

  @Test
  void approximateColumnsAreSaidWithTheQueryThatGivesTheExactAnswer() {
    assertEquals(
        0, query("SELECT MEDIAN(src_port) AS m, UPPER(m) AS high FROM flows", "--format", "csv"));
    assertEquals("m,high\n1024,1024\n", out);
    assertTrue(err.contains("approximate: m: MEDIAN(QUANTILES(src_port)): exact here"), err);
    String sql =
        "SELECT MEDIAN(QUANTILES(src_port, 0.2, 'lite', 16)) AS m, UPPER(m) AS high FROM flows";
    assertEquals(0, query(sql, "--format", "csv"));
    String exact = "SELECT MEDIAN(QUANTILES(src_port, 0)) AS exact FROM flows";
    Matcher said =
        Pattern.compile(
                Pattern.quote(
                        "approximate: m: MEDIAN(QUANTILES(src_port, 0.2, 'lite', 16)): at most ")
                    + "(\\d+) ranks off; exactly by "
                    + Pattern.quote(exact))
            .matcher(err);
    assertTrue(said.find(), err);
    String row = out.lines().skip(1).findFirst().get();
    long m = Long.parseLong(row.substring(0, row.indexOf(',')));
    long ranks = Long.parseLong(said.group(1));
    assertTrue(ranks > 0 && ranks <= 10 && Math.abs(m - 1024) <= ranks, m + ": " + err);
    assertEquals(0, query(exact, "--format", "csv"));
    assertEquals("exact\n1024\n", out);
    assertFalse(err.contains("approximate"), err);
  }

  @Test
  void queriesOverResultsAreAnsweredAndExplained() {
    String bySource = "(SELECT src_port % 10 AS d, COUNT(*) AS n FROM flows GROUP BY d)";
    String sql =
        "SELECT a.d, a.n, b.total FROM "
            + bySource
            + " AS a LEFT JOIN (SELECT src_port % 10 AS d, SUM(src_port) AS total FROM flows WHERE"
            + " src_port >= :least GROUP BY d) AS b ON a.d = b.d WHERE a.d IN (SELECT src_port %"
            + " 10 FROM flows WHERE src_port < 1003) ORDER BY a.d";
    assertEquals(0, query(sql, "--format", "csv", "--param", "least=1041"));
    assertEquals("d,n,total\n0,5,\n1,5,1041\n2,5,1042\n", out);
    assertEquals(0, query("EXPLAIN " + sql, "--param", "least=1041"));
    // Three queries over flows, one segment each.
    assertEquals(3, out.lines().filter(line -> line.contains(" scan ")).count(), out);
    assertEquals(ExitCodes.USAGE, query("SELECT d FROM " + bySource + " AS a WHERE m > 1"));
    assertTrue(err.contains("no column 'm' in a; expected one of d, n"), err);
    assertEquals(
        0,
        run(
            "export",
            "--archive",
            folder.resolve("archive").toString(),
            "--to",
            folder.resolve("answer.csv").toString(),
            "--query",
            "SELECT SUM(n) AS n FROM " + bySource));
    assertEquals("n\r\n50\r\n", read("answer.csv"));
  }

  private String read(String file) {
    try {
      return Files.readString(folder.resolve(file));
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void placesInErrorsAreThoseOfTheTextWithExplain() {
    assertEquals(ExitCodes.USAGE, query("EXPLAIN SELECT nothing FROM flows"));
    assertTrue(err.contains("line 1:16"), err);
  }

  @Test
  void anErrorShowsItsPlaceInTheText() {
    String shown =
        String.join(
            System.lineSeparator(),
            "flowmon query: line 1:8: no column 'nope' in flows; docs/format/flow.md lists them",
            "  SELECT nope FROM flows",
            "         ^",
            "");
    assertEquals(ExitCodes.USAGE, query("SELECT nope FROM flows"));
    assertTrue(err.startsWith(shown), err);
    String many = "1, ".repeat(99);
    assertEquals(
        ExitCodes.USAGE,
        query("SELECT uid FROM flows WHERE bytes IN (" + many + "nope, " + many + "1)"));
    String around = "1, ".repeat(20);
    assertTrue(err.contains("\n  …" + around + "nope, 1, "), err);
    assertTrue(err.contains("…\n  " + " ".repeat(61) + "^\n"), err);
    assertEquals(ExitCodes.USAGE, query("SELECT '\u001b[2J', nope FROM flows"));
    assertTrue(
        err.contains("\n  SELECT '\\x1b[2J', nope FROM flows\n" + " ".repeat(20) + "^"), err);
  }

  @Test
  void aQueryThatReadsTooMuchEndsAndSaysSo() {
    String sql = "SELECT COUNT(*) AS n FROM flows WHERE src_port > 1040";
    assertEquals(ExitCodes.FAILED, query(sql, "--byte-limit", "10"));
    assertTrue(err.contains("more than the 10 that it may"), err);
    assertEquals(ExitCodes.FAILED, query(sql, "--row-limit", "10"));
    assertTrue(err.contains("more than 10 rows"), err);
    assertEquals(0, query(sql, "--row-limit", "50", "--byte-limit", "100000"));
  }
}
