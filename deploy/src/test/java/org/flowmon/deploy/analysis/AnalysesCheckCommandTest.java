package org.flowmon.deploy.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code flowmon analyses check --config}: cross-checks of files and configuration. */
class AnalysesCheckCommandTest {
  private static final String ANALYSIS =
      """
      name: %s
      live:
        query: SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr
        window: 10s
      report:
        logic: live
      sinks: [postgres]
      alerts:
        - name: loud
          when: bytes > 5
          sinks: [kafka, %s]
      """;

  @TempDir private Path folder;

  private Path analysis(String name, String webhook) throws Exception {
    Path file = Files.createDirectories(folder.resolve("analyses")).resolve(name + ".yaml");
    return Files.writeString(file, ANALYSIS.formatted(name, webhook));
  }

  private Path config(String more) throws Exception {
    return Files.writeString(
        folder.resolve("flowmon.yaml"), "kafka: {bootstrap: none}\njob: {role: analyses}\n" + more);
  }

  @Test
  void aMissingPasswordFileIsNamed() throws Exception {
    Path secret = folder.resolve("secret");
    Path config =
        config(
            "postgres: {url: 'jdbc:postgresql://db/flowmon', user: f, password_file: %s}\n"
                .formatted(secret));
    CommandRun missing = CommandRun.of("analyses", "check", "--config", config);
    assertEquals(ExitCodes.DONE, missing.code(), missing.toString());
    assertTrue(
        missing.out().contains("postgres.password_file " + secret + " does not exist here; a job"),
        missing.out());
    Files.writeString(secret, "x");
    CommandRun there = CommandRun.of("analyses", "check", "--config", config);
    assertFalse(there.out().contains("password_file"), there.out());
  }

  @Test
  void theFirstReportIsThatOfTheFirstWindowThatBeginsAfterwards() throws Exception {
    String text = ANALYSIS.formatted("talkers", "ops");
    Instant now = Instant.parse("2026-11-21T08:00:03Z");
    assertTrue(
        AnalysesChangeCommands.firstReport(AnalysisConfig.parse("talkers.yaml", text), now)
            .startsWith(
                "its first report comes at 2026-11-21T08:00:20Z, of the window from"
                    + " 2026-11-21T08:00:10Z on"),
        text);
    String day =
        text.replace("window: 10s", "window: 24h\n  slide: 1h\n  lateness: 1s\n  revisions: false");
    assertTrue(
        AnalysesChangeCommands.firstReport(AnalysisConfig.parse("talkers.yaml", day), now)
            .startsWith(
                "its first report comes at 2026-11-22T09:00:01Z, of the window from"
                    + " 2026-11-21T09:00:00Z on"),
        day);
  }

  @Test
  void whatIsNotThereIsNeitherRightNorWrong() throws Exception {
    Path none = folder.resolve("none.yaml");
    CommandRun file = CommandRun.of("analyses", "check", analysis("talkers", "kafka"), none);
    assertEquals(ExitCodes.FAILED, file.code(), file.toString());
    assertTrue(file.err().contains("no such file: " + none), file.toString());
    CommandRun job = CommandRun.of("analyses", "check", "--config", none);
    assertEquals(ExitCodes.FAILED, job.code(), job.toString());
    assertTrue(job.err().contains("no such file: " + none), job.toString());
  }

  @Test
  void webhooksThatTheConfigurationDoesNotHaveAreSaid() throws Exception {
    Path talkers = analysis("talkers", "ops");
    CommandRun alone = CommandRun.of("analyses", "check", talkers);
    assertEquals(0, alone.code(), alone.toString());
    assertEquals(
        talkers
            + ": talkers is right; its alerts go to the webhooks [ops], if the job has them:"
            + " --config FILE checks that\n",
        alone.out());
    Path config = config("webhooks: {opps: {url: 'http://127.0.0.1:1/secret'}}\n");
    CommandRun wrong = CommandRun.of("analyses", "check", "--config", config, talkers);
    assertEquals(ExitCodes.NO, wrong.code(), wrong.toString());
    assertEquals(
        config
            + ": is right\n"
            + talkers
            + ": analysis talkers: alert loud: sinks: expected some of [kafka, opps] (webhooks of"
            + " the job's configuration), found 'ops'; did you mean 'opps'?\n",
        wrong.out());
    config("webhooks: {ops: {url: 'http://127.0.0.1:1/secret'}}\n");
    CommandRun right = CommandRun.of("analyses", "check", "--config", config, talkers);
    assertEquals(0, right.code(), right.toString());
    assertTrue(
        right
            .out()
            .endsWith(
                "talkers is right; its reports do not go to PostgreSQL, as the configuration has"
                    + " none\n"),
        right.out());
  }

  @Test
  void aUrlThatIsNoneIsSaidWithoutTheUrl() throws Exception {
    for (String url : List.of("ftp://secret.example.org", "secret", "https://me:secret@host/x")) {
      Path config = config("webhooks:\n  ops:\n    url: " + url + "\n");
      CommandRun run = CommandRun.of("analyses", "check", "--config", config);
      assertEquals(ExitCodes.NO, run.code(), run.toString());
      assertTrue(
          run.out().startsWith(config + ":5: webhooks.ops.url: expected a URL that begins with"),
          run.out());
      assertFalse(run.toString().contains("secret"), run.toString());
    }
  }

  @Test
  void theAnalysesOfAConfigurationAreCheckedTogether() throws Exception {
    CommandRun bundled = CommandRun.of("analyses", "check", "--config", config(""));
    assertEquals(0, bundled.code(), bundled.toString());
    assertTrue(bundled.out().contains("analysis elephants is right"), bundled.out());
    Path first = analysis("first", "kafka");
    Files.writeString(first, Files.readString(first).replace("[kafka, kafka]", "[kafka]"));
    Path second = analysis("second", "kafka");
    Files.writeString(second, Files.readString(second).replace("[kafka, kafka]", "[kafka]"));
    String more = "analyses: '" + first.getParent() + "'\n";
    CommandRun right = CommandRun.of("analyses", "check", "--config", config(more));
    assertEquals(0, right.code(), right.toString());
    assertEquals(3, right.out().lines().count(), right.out());
    Path config = config(more);
    Files.writeString(
        config, Files.readString(config).replace("{role: analyses}", "{role: analyses, slots: 9}"));
    CommandRun large = CommandRun.of("analyses", "check", "--config", config);
    assertEquals(ExitCodes.NO, large.code(), large.toString());
    assertTrue(large.out().contains("job.slots"), large.out());
  }

  @Test
  void webhooksAreAskedOnlyWhereThatIsWantedAndGetNoAlert() throws Exception {
    List<String> requests = Collections.synchronizedList(new ArrayList<>());
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          requests.add(
              exchange.getRequestMethod()
                  + " "
                  + exchange.getRequestURI()
                  + " "
                  + exchange.getRequestHeaders().getFirst("X-Key")
                  + " "
                  + exchange.getRequestBody().readAllBytes().length);
          int status = exchange.getRequestURI().getPath().equals("/moved") ? 302 : 405;
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
    server.start();
    try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String here = "http://127.0.0.1:" + server.getAddress().getPort();
      String gone = "http://127.0.0.1:" + closed.getLocalPort();
      closed.close();
      Path headers = Files.writeString(folder.resolve("headers"), "X-Key: secret\n");
      Path wrong = Files.writeString(folder.resolve("wrong"), "the secret alone\n");
      Path talkers = analysis("talkers", "ops");
      Path config =
          config(
              "webhooks:\n  ops: {url: '%s/hook', header_file: '%s'}\n  gone: {url: '%s/'}\n"
                      .formatted(here, headers, gone)
                  + "  moved: {url: '%s/moved'}\n  bad: {url: '%s', header_file: '%s'}\n"
                      .formatted(here, here, wrong));
      assertEquals(0, CommandRun.of("analyses", "check", "--config", config, talkers).code());
      assertEquals(List.of(), requests, "not without --probe");
      CommandRun named = CommandRun.of("analyses", "check", "--config", config, "--probe", talkers);
      assertEquals(0, named.code(), named.toString());
      assertEquals(List.of("HEAD /hook secret 0"), requests);
      assertTrue(named.out().endsWith("webhook ops is reached: status 405\n"), named.out());
      CommandRun all = CommandRun.of("analyses", "check", "--config", config, "--probe");
      assertEquals(ExitCodes.NO, all.code(), all.toString());
      assertTrue(
          all.out().contains(config + ": webhook gone is not reached: ConnectException\n")
              && all.out().contains("webhook moved is not reached: status 302, and redirects are")
              && all.out().contains("webhook ops is reached: status 405\n")
              && all.out().contains("expected a header, NAME: VALUE, for webhook bad\n"),
          all.out());
      assertFalse(all.toString().contains("secret"), all.toString());
      assertEquals(ExitCodes.USAGE, CommandRun.of("analyses", "check", "--probe", talkers).code());
      assertEquals(ExitCodes.USAGE, CommandRun.of("analyses", "check").code());
    } finally {
      server.stop(0);
    }
  }
}
