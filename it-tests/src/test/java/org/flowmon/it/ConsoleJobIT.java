package org.flowmon.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;

/**
 * The console over a running job with its Kafka and archive, as the demo has them: an analysis is
 * written, checked, added and refused; its alert leads to its flows; a replay says what the job
 * said.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ConsoleJobIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern CONSOLE =
      Pattern.compile("the console, while the demo runs: (http\\S+)");
  private static final String LOUD =
      """
      name: loud

      live:
        query: |
          SELECT src_addr, SUM(bytes) AS bytes, COUNT(*) AS flows FROM flows WHERE protocol = 17
          GROUP BY src_addr ORDER BY bytes DESC LIMIT 3
        window: 5s
        time: end_time
        lateness: 5s
        revisions: false

      report:
        query: SELECT rank, src_addr, bytes, flows FROM live ORDER BY rank

      alerts:
        - {name: first, when: rank = 1, severity: warning, sinks: [%s]}

      sinks: [kafka]
      """;

  @TempDir static Path folder;
  private static Program demo;
  private static String url;
  private static Browser browser;

  @BeforeAll
  static void start() throws Exception {
    ProjectFiles.tool("chromium");
    demo =
        Program.flowmon(
            folder,
            "demo",
            "demo",
            "--for",
            "20m",
            "--rate",
            "300",
            "--dir",
            folder.resolve("demo").toString());
    url = demo.awaitLine(CONSOLE).group(1);
    browser = new Browser(url);
  }

  @AfterAll
  static void stop() throws Exception {
    if (browser != null) {
      browser.close();
    }
    if (demo != null && demo.isAlive()) {
      demo.stop();
      demo.close();
    }
  }

  private static JsonNode get(String path) throws Exception {
    HttpResponse<String> answer =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create(url + "api/v1/" + path)).build(),
                HttpResponse.BodyHandlers.ofString());
    assertEquals(200, answer.statusCode(), answer.body());
    return JSON.readTree(answer.body());
  }

  private static Instant complete() throws Exception {
    String through = get("archive").at("/archives/0/complete_through").asText();
    return through.equals("null") ? Instant.EPOCH : Instant.parse(through);
  }

  private static void write(String text) {
    WebElement area = browser.find(By.cssSelector("textarea"));
    area.clear();
    area.sendKeys(text);
  }

  private static By button(String text) {
    return By.xpath("//button[text()='" + text + "']");
  }

  private static void awaitText(String text) throws InterruptedException {
    browser.await(
        "return document.querySelector('main').innerText.includes(arguments[0])", text, text);
  }

  @Test
  @Order(1)
  void anAnalysisIsCheckedAndAddedToTheRunningJob() throws Exception {
    browser.open("#/analyses");
    List<String> names = browser.column("Analyses", "name");
    assertTrue(names.contains("elephants"), names.toString());
    assertTrue(browser.column("Analyses", "runs").contains("yes"));
    browser.click(By.linkText("Write a new one"));
    browser.click(button("Check"));
    awaitText("mine is right.");
    write(LOUD.formatted("kafka").replace("window: 5s", "window: often"));
    browser.click(button("Check"));
    awaitText("line 7: ");
    write(LOUD.formatted("kafka"));
    browser.click(button("Check"));
    awaitText("loud is right.");
    browser.click(button("Add it to the job"));
    awaitText("loud: runs.");
    browser.open("#/analyses/loud");
    assertTrue(browser.text(".title").contains("added while it runs"));
  }

  @Test
  @Order(2)
  void whatTheJobRefusesIsShownWithItsReason() throws Exception {
    browser.open("#/analyses?new=1");
    write(LOUD.formatted("nowhere").replace("name: loud", "name: wrong"));
    browser.click(button("Add it to the job"));
    awaitText("wrong: refused.");
    assertTrue(browser.text(".state.error").contains("nowhere"), browser.text(".state.error"));
    browser.open("#/analyses");
    int row = browser.column("Analyses", "name").indexOf("wrong");
    assertEquals("refused", browser.column("Analyses", "runs").get(row));
  }

  @Test
  @Order(3)
  void anAlertLeadsToExactlyItsFlowsInTwoClicks() throws Exception {
    long end = System.nanoTime() + Program.PATIENCE.toNanos();
    JsonNode alerts = get("alerts?state=all&analysis=loud");
    while (alerts.get("alerts").isEmpty() && System.nanoTime() < end) {
      Thread.sleep(1000);
      alerts = get("alerts?state=all&analysis=loud");
    }
    String id = alerts.at("/alerts/0/id").asText();
    JsonNode alert = get("alerts/" + id);
    Instant closed = Instant.parse(alert.get("window_end").asText());
    while (complete().isBefore(closed.plusSeconds(5)) && System.nanoTime() < end) {
      Thread.sleep(500); // the archive takes the flows
    }
    browser.open("#/reports?state=all&analysis=loud");
    browser.click(By.cssSelector("a[href^='#/alert/" + id + "']"));
    alert = get("alerts/" + id);
    String behind = "Flows before, in and after the window";
    assertEquals(List.of("Before", "In the window", "After"), browser.column(behind, "title"));
    assertEquals(alert.at("/columns/flows").asText(), browser.column(behind, "flows").get(1));
    assertEquals(alert.at("/columns/bytes").asText(), browser.column(behind, "bytes").get(1));
    browser.click(By.linkText("In the window"));
    assertTrue(browser.address().startsWith("#/flows?"), browser.address());
    assertEquals(
        alert.at("/columns/flows").asText(),
        browser.find(By.cssSelector("[data-count]")).getDomAttribute("data-count"));
    assertEquals(
        List.of(alert.at("/columns/src_addr").asText()),
        browser.column("Flows", "src_addr").stream().distinct().toList());
  }

  @Test
  @Order(4)
  void aReplaySaysWhatTheJobSaid() throws Exception {
    Map<String, String> told = new TreeMap<>();
    for (int tries = 0; told.size() < 4; tries++) {
      assertTrue(tries < 240, told.keySet() + " in two minutes");
      Thread.sleep(500); // windows end, and the archive takes their flows
      Instant complete = complete();
      for (JsonNode one : get("reports?analysis=loud&limit=20").get("reports")) {
        String end = one.get("window_end").asText();
        if (!Instant.parse(end).isAfter(complete)) {
          told.put(end, one.get("rows").toString());
        }
      }
    }
    List<String> ends = new ArrayList<>(told.keySet());
    String from = ends.get(0);
    String to = ends.get(Math.min(6, ends.size() - 1));
    browser.open("#/analyses/loud?from=" + from + "&to=" + to);
    browser.click(button("Replay over this range"));
    browser.await(
        "return document.querySelector('[data-replay=ended]') !== null", "the replay has ended");
    List<String> replayed = browser.column("Replayed reports", "window_end");
    assertEquals(ends.subList(1, 1 + replayed.size()), replayed);
    assertTrue(replayed.size() >= 2, replayed.toString());
    browser.click(By.cssSelector("table[aria-label='Replayed reports'] tbody button"));
    JsonNode rows = JSON.readTree(told.get(replayed.get(0)));
    List<String> bytes = new ArrayList<>();
    rows.forEach(row -> bytes.add(row.at("/columns/bytes").asText()));
    assertEquals(bytes, browser.column("Rows of the report", "bytes"));
  }

  @Test
  @Order(5)
  void aReplayIsCancelledAndItsRefusalIsShown() throws Exception {
    browser.open("#/analyses/loud?from=2026-01-01&to=2026-12-31");
    browser.click(button("Replay over this range"));
    browser.await(
        "const cancel = [...document.querySelectorAll('button')].find(b => b.innerText ==="
            + " 'Cancel'); cancel?.click(); return"
            + " document.querySelector('[data-replay=cancelled]') !== null",
        "the replay is cancelled");
    browser.open("#/analyses/loud?from=2026-01-01T00:00:00&to=2026-01-01T00:00:01");
    browser.click(button("Replay over this range"));
    browser.await("return document.querySelector('.state.error') !== null", "it is refused");
    browser.errors();
  }

  @Test
  @Order(6)
  void pagesOfAJobAreAccessibleInLightAndDarkAndFitTheirWindow() throws Exception {
    String id = get("alerts?state=all&analysis=loud").at("/alerts/0/id").asText();
    JsonNode report = get("reports?analysis=loud&limit=1").at("/reports/0");
    Map<String, String> pages =
        Map.of(
            "job-overview", "#/overview?range=15m",
            "job-alerts", "#/reports?state=all",
            "job-alert", "#/alert/" + id,
            "job-report",
                "#/report/loud/"
                    + report.get("window_start").asText()
                    + "/"
                    + report.get("window_end").asText(),
            "job-analyses", "#/analyses",
            "job-analysis", "#/analyses/loud?range=15m");
    List<String> faults = new ArrayList<>();
    for (int width : List.of(1280, 480)) {
      for (Map.Entry<String, String> page : new TreeMap<>(pages).entrySet()) {
        browser.look("light", width);
        browser.open(page.getValue());
        if (page.getKey().equals("job-analysis") && width == 1280) {
          browser.click(button("Replay over this range"));
          browser.await(
              "return document.querySelector('[data-replay=ended], .state.error') !== null",
              "the replay has ended");
        }
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

  /**
   * Pictures of what the demo plants, in {@code target/console}; with {@code
   * -Dflowmon.pictures.write=true} also in {@code docs/pictures}, where the README shows them.
   */
  @Test
  @Order(7)
  void picturesOfTheReadmeShowAScanThatTheDemoPlanted() throws Exception {
    JsonNode scans = get("alerts?state=all&analysis=scans_fast");
    for (int tries = 0; scans.get("alerts").isEmpty(); tries++) {
      assertTrue(tries < 120, "no alert of the fast scan in two minutes");
      Thread.sleep(1000);
      scans = get("alerts?state=all&analysis=scans_fast");
    }
    String scanner = scans.at("/alerts/0/columns/src_addr").asText();
    Map<String, String> pages =
        new TreeMap<>(
            Map.of(
                "overview", "#/overview?range=15m",
                "host", "#/host/" + scanner + "?range=15m",
                "alerts", "#/reports"));
    for (Map.Entry<String, String> page : pages.entrySet()) {
      for (String theme : List.of("light", "dark")) {
        browser.look(theme, 1280);
        browser.open(page.getValue());
        String name = page.getKey() + "-" + theme + ".png";
        Path file = ProjectFiles.root().resolve("it-tests/target/console/readme-" + name);
        browser.picture(file, 680);
        assertTrue(Files.size(file) <= 150 * 1024, file + " has " + Files.size(file) + " bytes");
        if (Boolean.getBoolean("flowmon.pictures.write") && !page.getKey().equals("host")) {
          Path to = ProjectFiles.root().resolve("docs/pictures/console-" + name);
          Files.copy(file, to, StandardCopyOption.REPLACE_EXISTING);
        }
      }
    }
  }

  @Test
  @Order(8)
  void aServerThatIsGoneIsSaidAndTheViewStays() throws Exception {
    browser.look("light", 1280);
    browser.open("#/reports?state=all");
    demo.kill();
    browser.run("location.hash = '#/overview?range=1h'");
    browser.await(
        "return document.querySelector('main').innerText.includes('cannot be reached')",
        "the server is missed");
    assertTrue(browser.has("button"), browser.text("main"));
    browser.picture(ProjectFiles.root().resolve("it-tests/target/console/job-gone-light-1280.png"));
  }
}
