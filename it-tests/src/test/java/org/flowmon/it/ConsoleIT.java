package org.flowmon.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.flowmon.deploy.Flowmon;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/**
 * The console in Chromium, over {@code flowmon serve} in a process of its own. What pages show is
 * compared with what {@code flowmon query} and {@code flowmon host} say, and with sums over plain
 * rows of an export. Pictures of all pages are in {@code target/console}.
 */
class ConsoleIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern LISTENING = Pattern.compile("listening on (http\\S+)");

  /** All pages, with what they show of the archive. */
  private static final Map<String, String> PAGES =
      new TreeMap<>(
          Map.of(
              "overview", "#/overview?range=6h",
              "explore", "#/explore?range=6h&by=dst_port",
              "sankey", "#/explore?range=6h&by=src_addr,dst_port&kind=sankey",
              "flows", "#/flows?range=6h&filter=protocol%20%3D%20%27udp%27",
              "query", "#/query?run=1",
              "plan", "#/query?run=1&plan=1",
              "reports", "#/reports",
              "exporters", "#/exporters?range=6h"));

  @TempDir static Path folder;
  private static Path archive;
  private static Program server;
  private static Browser browser;
  private static List<Row> rows;
  private static String whole;

  /** A flow of the export. */
  private record Row(Instant start, Instant end, String source, String protocol, double bytes) {}

  @BeforeAll
  static void start() throws Exception {
    ProjectFiles.tool("chromium");
    archive = folder.resolve("archive");
    run(
        "generate",
        "office",
        "--seed",
        "5",
        "--rate",
        "4",
        "--for",
        "3h",
        "--to",
        "archive:" + archive);
    rows = export();
    Instant first = rows.stream().map(Row::start).min(Instant::compareTo).orElseThrow();
    Instant last = rows.stream().map(Row::end).max(Instant::compareTo).orElseThrow();
    whole =
        "from="
            + first.truncatedTo(ChronoUnit.HOURS)
            + "&to="
            + last.truncatedTo(ChronoUnit.HOURS).plus(Duration.ofHours(1));
    server =
        Program.flowmon(
            folder, "serve", "serve", "--archive", archive.toString(), "--listen", "127.0.0.1:0");
    String url = server.awaitLine(LISTENING).group(1);
    browser = new Browser(url);
  }

  @AfterAll
  static void stop() throws InterruptedException {
    if (browser != null) {
      browser.close();
    }
    if (server != null) {
      server.close();
    }
  }

  @BeforeEach
  void forget() {
    browser.errors();
    browser.look("light", 1280);
  }

  @AfterEach
  void theBrowserFoundNoFault() {
    assertEquals(List.of(), browser.errors());
  }

  private static String run(String... arguments) {
    CommandRun run = CommandRun.of(Flowmon.commandLine(), arguments);
    assertEquals(0, run.code(), run.err());
    return run.out();
  }

  /** The lines of a query's answer as CSV, without the names of its columns. */
  private static List<String> answer(String sql) {
    List<String> lines =
        run("query", "--archive", archive.toString(), "--format", "csv", sql).lines().toList();
    return lines.subList(1, lines.size());
  }

  private static List<Row> export() throws IOException {
    Path csv = folder.resolve("flows.csv");
    run(
        "export",
        "--archive",
        archive.toString(),
        "--to",
        csv.toString(),
        "--query",
        "SELECT start_time, end_time, src_addr, protocol, bytes, reverse_bytes FROM flows");
    List<Row> all = new ArrayList<>();
    List<String> lines = ProjectFiles.lines(csv);
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.split(",", -1);
      double back = cells[5].isEmpty() ? 0 : Double.parseDouble(cells[5]);
      all.add(
          new Row(
              Instant.parse(cells[0]),
              Instant.parse(cells[1]),
              cells[2],
              cells[3],
              Double.parseDouble(cells[4]) + back));
    }
    return all;
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** The bytes of each protocol or source by plain addition, the most first. */
  private static List<String> sums(boolean bySource) {
    Map<String, Double> sums = new TreeMap<>();
    rows.forEach(
        row -> sums.merge(bySource ? row.source() : row.protocol(), row.bytes(), Double::sum));
    return sums.values().stream()
        .sorted((a, b) -> Double.compare(b, a))
        .map(sum -> String.format(Locale.ROOT, "%.0f", sum))
        .toList();
  }

  @Test
  void theTableOfExploreHasTheSumsOfThePlainRows() throws Exception {
    browser.open("#/explore?by=protocol&" + whole);
    List<String> totals = browser.column("Statistics", "total");
    List<String> expected = sums(false);
    assertEquals(expected, totals.subList(0, expected.size()));
    double all = rows.stream().mapToDouble(Row::bytes).sum();
    assertEquals(String.format(Locale.ROOT, "%.0f", all), totals.get(expected.size()));
  }

  @Test
  void thePeriodBeforeIsAveragedOverAllOfItsTime() throws Exception {
    Instant to = Instant.parse(whole.substring(whole.indexOf("to=") + 3));
    Duration length = Duration.ofHours(2);
    browser.open("#/explore?by=protocol&from=" + to.minus(length) + "&to=" + to);
    List<String> totals = browser.column("Statistics", "total");
    List<String> averages = browser.column("Statistics", "average");
    int before = totals.size() - 1;
    double rate = 8 * Double.parseDouble(totals.get(before)) / length.toSeconds();
    assertTrue(rate > 0, "flows in the period before");
    assertEquals(rate, Double.parseDouble(averages.get(before)), 1e-6 * rate);
  }

  @Test
  void longFlowsCountInTheTimeInWhichTheyRan() throws Exception {
    Row longest =
        rows.stream()
            .filter(row -> micros(row.start(), row.end()) > 10_000_000)
            .max(Comparator.comparingDouble(Row::bytes))
            .orElseThrow();
    Instant from = longest.start().truncatedTo(ChronoUnit.SECONDS).plusSeconds(2);
    Instant to = from.plusSeconds(5);
    browser.open("#/explore?by=source_kind&from=" + from + "&to=" + to);
    double expected = rows.stream().mapToDouble(row -> share(row, from, to)).sum();
    double found = Double.parseDouble(browser.column("Statistics", "total").get(0));
    assertEquals(expected, found, expected / 100);
    double ended =
        rows.stream()
            .filter(row -> !row.end().isBefore(from) && row.end().isBefore(to))
            .mapToDouble(Row::bytes)
            .sum();
    assertTrue(Math.abs(ended - expected) > expected / 50, "no long flow crosses the ends");
  }

  /** What of a flow's bytes lies between two times, if it has one rate. */
  private static double share(Row row, Instant from, Instant to) {
    double length = micros(row.start(), row.end());
    if (length == 0) {
      return !row.end().isBefore(from) && row.end().isBefore(to) ? row.bytes() : 0;
    }
    Instant begin = row.start().isBefore(from) ? from : row.start();
    Instant end = row.end().isBefore(to) ? row.end() : to;
    return begin.isBefore(end) ? row.bytes() * micros(begin, end) / length : 0;
  }

  private static double micros(Instant from, Instant to) {
    return ChronoUnit.MICROS.between(from, to);
  }

  @Test
  void theTopTalkersAreThoseOfTheWholeRange() throws Exception {
    browser.open("#/overview?" + whole);
    List<String> totals = browser.column("Top talkers", "total");
    assertEquals(sums(true).subList(0, 10), totals.subList(0, 10));
    List<String> averages = browser.column("Top talkers", "average");
    double time = Double.parseDouble(totals.get(0)) / Double.parseDouble(averages.get(0));
    for (int i = 1; i < averages.size(); i++) {
      double average = Double.parseDouble(averages.get(i));
      assertEquals(time, Double.parseDouble(totals.get(i)) / average, 1e-6 * time);
    }
    String last = browser.text("[data-tile=bits] .figure");
    assertTrue(last.matches("[1-9][0-9.]* [kMG]?bit/s"), last);
    browser.click(By.cssSelector("table[aria-label='Top talkers'] tbody a"));
    assertTrue(browser.address().startsWith("#/host/"), browser.address());
  }

  @Test
  void aHostIsWhatFlowmonHostSaysOfIt() throws Exception {
    String address =
        answer(
                "SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr"
                    + " ORDER BY bytes DESC LIMIT 1")
            .get(0)
            .split(",", -1)[0];
    String[] times = whole.replace("from=", "").split("&to=", -1);
    JsonNode host =
        JSON.readTree(
            run(
                "host",
                address,
                "--archive",
                archive.toString(),
                "--from",
                times[0],
                "--to",
                times[1],
                "--json"));
    browser.open("#/host/" + address + "?" + whole);
    for (String member : List.of("flows", "sent", "received", "peers_now")) {
      assertEquals(
          host.get(member).asText(),
          browser.find(By.cssSelector("[data-tile=" + member + "]")).getDomAttribute("data-value"),
          member);
    }
    List<String> peers = new ArrayList<>();
    host.get("peers").forEach(peer -> peers.add(peer.get("address").asText()));
    assertEquals(peers, browser.column("Peers", "address").subList(0, peers.size()));
  }

  @Test
  void aHostOverAllOfItsTimeIsAskedForAtOnce() throws Exception {
    String address = rows.get(0).source();
    browser.open("#/host/" + address);
    String of = " WHERE src_addr = '" + address + "' OR dst_addr = '" + address + "'";
    assertEquals(
        answer("SELECT COUNT(*) AS flows FROM flows" + of).get(0),
        browser.find(By.cssSelector("[data-count]")).getDomAttribute("data-count"));
    String newest = answer("SELECT MAX(end_time) AS newest FROM flows" + of).get(0);
    assertEquals(
        newest.substring(0, 19), browser.column("Flows", "end_time").get(0).substring(0, 19));
    double answered = browser.time("session", "responseEnd");
    assertTrue(browser.time("archive", "startTime") < answered);
    assertTrue(browser.time("hosts/", "startTime") < answered);
    List<String> asked = browser.asked();
    assertTrue(
        asked.stream().noneMatch(one -> one.contains("/query")), "the summary has the count");
  }

  @Test
  void aSearchCountsAndPagesAsTheQueryDoes() throws Exception {
    browser.open("#/flows?" + whole + "&filter=" + encoded("protocol = 'udp'"));
    String count = answer("SELECT COUNT(*) AS flows FROM flows WHERE protocol = 17").get(0);
    assertEquals(count, browser.find(By.cssSelector("[data-count]")).getDomAttribute("data-count"));
    List<String> first = browser.column("Flows", "end_time");
    assertEquals(100, first.size());
    String view = browser.address();
    browser.click(By.linkText("Next page"));
    List<String> second = browser.column("Flows", "end_time");
    assertNotEquals(first, second);
    assertTrue(second.get(0).compareTo(first.get(99)) <= 0, "newest first");
    browser.back();
    assertEquals(view, browser.address());
    assertEquals(first, browser.column("Flows", "end_time"));
  }

  @Test
  void aFilterIsTypedWithCompletionAndBecomesPartOfTheAddress() throws Exception {
    browser.open("#/explore?by=protocol&" + whole);
    WebElement editor = browser.editor("condition");
    editor.click();
    editor.sendKeys("dst_po");
    browser.await(
        "return [...document.querySelector('[data-editor]').shadowRoot"
            + ".querySelectorAll('.cm-completionLabel')].some(o => o.textContent === 'dst_port')",
        "dst_port is proposed");
    editor.sendKeys(Keys.ESCAPE);
    editor.sendKeys("rt = 443", Keys.ENTER);
    browser.settle();
    String view = browser.address();
    assertTrue(view.contains("filter=dst_port"), view);
    List<String> totals = browser.column("Statistics", "total");
    String sum =
        answer(
                "SELECT SUM(bytes) + COALESCE(SUM(reverse_bytes), 0) AS bytes FROM flows"
                    + " WHERE dst_port = 443")
            .get(0);
    assertTrue(totals.contains(sum), totals + " without " + sum);
    browser.open(view);
    assertEquals(totals, browser.column("Statistics", "total"));
  }

  @Test
  void theQueryBoxAnswersAsFlowmonQueryAndMarksErrors() throws Exception {
    String sql =
        "SELECT dst_port, COUNT(*) AS flows, SUM(bytes) AS bytes FROM flows"
            + " GROUP BY dst_port ORDER BY flows DESC, dst_port LIMIT 12";
    browser.open("#/query?run=1&sql=" + encoded(sql));
    List<String> expected = answer(sql);
    List<String> ports = browser.column("Answer", "dst_port");
    List<String> flows = browser.column("Answer", "flows");
    List<String> bytes = browser.column("Answer", "bytes");
    for (int i = 0; i < 12; i++) {
      assertEquals(expected.get(i), ports.get(i) + "," + flows.get(i) + "," + bytes.get(i));
    }
    browser.click(By.xpath("//button[text()='Explain']"));
    assertTrue(browser.text(".plan").contains("segment"), browser.text(".plan"));

    browser.open("#/query?sql=" + encoded("SELECT src_adr FROM flows"));
    browser.editor("query");
    browser.await(
        "return document.querySelector('[data-editor]').shadowRoot"
            + ".querySelector('.cm-lintRange-error') !== null",
        "the error is marked");
    assertEquals("s", browser.marked("query"));
  }

  @Test
  void aNodeOfTheSankeyNarrowsTheView() throws Exception {
    browser.open("#/explore?by=src_addr,protocol&kind=sankey&" + whole);
    List<String> before = browser.column("Statistics", "total");
    assertTrue(before.size() > 2);
    browser.run(
        "document.querySelector('svg.sankey a').dispatchEvent(new MouseEvent('click', {bubbles:"
            + " true}))");
    browser.settle();
    assertTrue(browser.address().contains("filter=src_addr"), browser.address());
    assertEquals(1, browser.column("Statistics", "src_addr").stream().distinct().count());
  }

  @Test
  void aMomentOfTheChartLeadsToItsFlows() throws Exception {
    browser.open("#/explore?by=protocol&" + whole);
    WebElement chart = browser.find(By.cssSelector(".chart"));
    chart.sendKeys(Keys.ARROW_LEFT);
    chart.sendKeys(Keys.ENTER);
    browser.settle();
    assertTrue(browser.address().startsWith("#/flows?"), browser.address());
    String[] times = browser.address().split("from=|&to=", -1);
    Duration bucket = Duration.between(Instant.parse(times[1]), Instant.parse(times[2]));
    assertTrue(bucket.toMinutes() <= 10, bucket.toString());
    // The last bucket was left by one step.
    assertTrue(whole.endsWith("to=" + Instant.parse(times[2]).plus(bucket)), times[2]);
  }

  @Test
  void whatIsWrongOrEmptyIsSaid() throws Exception {
    browser.open("#/explore?from=2001-01-01&to=2001-01-02");
    assertTrue(browser.text("[data-state=empty]").contains("The archive holds"));
    browser.open("#/explore?" + whole + "&filter=" + encoded("nonsense = 1"));
    assertTrue(browser.text("[data-state=error]").contains("nonsense"));
    assertFalse(browser.errors().isEmpty(), "the browser logs the status 400");
    browser.open("#/explore?from=2026-01-02&to=2026-01-01");
    assertTrue(browser.text("main").contains("no range"));
    assertTrue(browser.has("main [data-range]"), "another range can be chosen");
    assertEquals(List.of(), browser.errors(), "nothing is asked without a range");
  }

  @Test
  void rowsStayAsTheyWereUntilOthersAreThere() throws Exception {
    browser.open("#/explore?by=protocol&" + whole);
    List<String> before = browser.column("Statistics", "protocol");
    browser.run(
        "const send = window.fetch;"
            + " const released = new Promise(release => { window.release = release; });"
            + " window.fetch = (...asked) => released.then(() => send(...asked));"
            + " location.hash = '#/explore?by=protocol,dst_port&' + arguments[0]",
        whole);
    browser.await("return document.querySelector('.stale') !== null", "others are asked for");
    assertEquals(before, browser.column("Statistics", "protocol"));
    browser.run("window.release()");
    browser.settle();
    assertEquals(List.of(), browser.column("Statistics", "protocol"));
    assertTrue(browser.column("Statistics", "protocol dst_port").get(0).contains(" · "));
  }

  /** This server has no job; its reports are made up. */
  @Test
  void theFlowsOfARowAreShownWhereverItStands() throws Exception {
    browser.open("#/overview?" + whole);
    browser.run(
        "const send = window.fetch;"
            + " const start = '2026-11-01T00:00:00Z', end = '2026-11-01T00:01:00Z';"
            + " const rows = [...Array(100)].map((_, i) =>"
            + " ({row_key: String(i), columns: {src_addr: '10.0.0.' + i, bytes: i}}));"
            + " const report = {analysis: 'talkers', window_start: start, window_end: end,"
            + " revision: 0, row_count: 100, complete: true, rows, approximate: [],"
            + " confidence: {history: 'none', late_flows: 0, lost_flows: 0, group_sampling: 1}};"
            + " const made = {reports: {reports: [report], next: null}, analyses: {text: null}};"
            + " window.fetch = (url, options) => {"
            + " const answer = made[/^api.v1.(reports|analyses)/.exec(url)?.[1]];"
            + " return answer ? Promise.resolve(Response.json(answer)) : send(url, options); };"
            + " location.hash = `#/report/talkers/${start}/${end}`");
    String behind = "section[aria-label=\"Flows behind it\"]";
    browser.await("return document.querySelector('" + behind + "') !== null", "there is a report");
    browser.settle();
    browser.click(By.xpath("(//button[text()='flows'])[50]"));
    assertTrue(browser.text(behind).contains("10.0.0.49"), browser.text(behind));
    browser.await(
        "const place = document.querySelector('"
            + behind
            + "').getBoundingClientRect(); return place.top >= 0 && place.bottom <= innerHeight",
        "its flows are in sight");
  }

  @Test
  void noPageAsksTheSameTwice() throws Exception {
    List<String> pages = new ArrayList<>(PAGES.values());
    pages.add("#/explore?range=6h&by=src_addr&both=1");
    pages.add("#/host/" + rows.get(0).source() + "?range=6h");
    pages.add("#/host/" + rows.get(0).source());
    for (String page : pages) {
      browser.open(page);
      List<String> asked = browser.asked();
      assertTrue(asked.size() > 3, page + ": " + asked);
      assertEquals(List.copyOf(new LinkedHashSet<>(asked)), asked, page);
    }
  }

  @Test
  void allPagesAreAccessibleInLightAndDarkAndFitTheirWindow() throws Exception {
    List<String> faults = new ArrayList<>();
    for (int width : List.of(1280, 480)) {
      for (Map.Entry<String, String> page : PAGES.entrySet()) {
        browser.look("light", width);
        browser.open(page.getValue());
        for (String theme : width == 1280 ? List.of("light", "dark") : List.of("light")) {
          browser.look(theme, width);
          String name = page.getKey() + "-" + theme + "-" + width;
          browser.picture(ProjectFiles.root().resolve("it-tests/target/console/" + name + ".png"));
          if (browser.overflow() > 0) {
            faults.add(name + " is " + browser.overflow() + " pixels too wide");
          }
          browser.inaccessible().forEach(fault -> faults.add(name + ": " + fault));
        }
      }
    }
    assertEquals("", String.join("\n", faults));
  }
}
