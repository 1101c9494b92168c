package org.flowmon.jobs.report;

import static org.flowmon.jobs.report.TestReports.elephants;
import static org.flowmon.jobs.report.TestReports.window;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.ToolProvider;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportLogicsTest {
  private static final String FILE =
      """
      name: talkers
      live:
        query: |
          SELECT src_addr, SUM(bytes) AS bytes
          FROM flows GROUP BY src_addr
        window: 10s
      history:
        query: SELECT src_addr, COUNT(*) AS flows FROM flows GROUP BY src_addr
      report:
        logic: anomaly
        parameters:
          threshold: 0.5
      """;

  private static Path example(String file) {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.isDirectory(root.resolve("docs/examples"))) {
      root = root.getParent();
    }
    return root.resolve("docs/examples/logic").resolve(file);
  }

  /** Compiles the example of the docs into the layout of a jar. */
  private static void compileExample(Path folder) throws Exception {
    int result =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-proc:none",
                "-d",
                folder.toString(),
                "-cp",
                System.getProperty("java.class.path"),
                example("MainPart.java").toString());
    assertEquals(0, result, "the example does not compile");
    String service = "META-INF/services/" + ReportLogicProvider.class.getName();
    Files.createDirectories(folder.resolve(service).getParent());
    Files.copy(example(service), folder.resolve(service));
  }

  private interface Action {
    void run() throws Exception;
  }

  private static void withClasses(Path folder, Action action) throws Exception {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    URL[] urls = {new File(folder.toString()).toURI().toURL()};
    try (URLClassLoader loader = new URLClassLoader(urls, before)) {
      thread.setContextClassLoader(loader);
      action.run();
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  @Test
  void aLogicOfOnesOwnIsFoundAsAService(@TempDir Path folder) throws Exception {
    AnalysisConfig analysis = AnalysisConfig.read(example("main_part.yaml"));
    assertThrows(ConfigException.class, () -> ReportLogics.of(analysis));
    compileExample(folder);
    withClasses(
        folder,
        () -> {
          ReportLogic logic = ReportLogics.of(analysis);
          List<String> names = logic.open(analysis).stream().map(ReportColumn::name).toList();
          assertEquals(List.of("src_addr", "bytes", "share_so_far"), names);
          ResultTable rows =
              logic.report(
                  new WindowHistory(
                      window(100, "10.0.0.1", 50, "10.0.0.2", 30, "10.0.0.3", 15),
                      HistoryAnswer.NONE));
          List<String> found = new ArrayList<>();
          for (int row = 0; row < rows.rowCount(); row++) {
            found.add(rows.formatted(row, 0) + " " + rows.formatted(row, 2));
          }
          assertEquals(List.of("10.0.0.1 0.5", "10.0.0.2 0.8"), found);
          // The bundled logics are there as before.
          assertEquals("rank", ReportLogics.of(elephants("")).open(elephants("")).get(0).name());
        });
  }

  @Test
  void everyCallGivesALogicOfItsOwn() {
    assertNotEquals(ReportLogics.of(elephants("")), ReportLogics.of(elephants("")));
  }

  @Test
  void aProviderThatIsNotRightIsAnErrorThatNamesIt(@TempDir Path folder) throws Exception {
    Path service = folder.resolve("META-INF/services/" + ReportLogicProvider.class.getName());
    Files.createDirectories(service.getParent());
    Files.writeString(service, "no.such.Provider\n");
    withClasses(
        folder,
        () -> refuses(FILE, "talkers.yaml:10: report.logic: the logics cannot be listed: "));
    withClasses(folder, () -> refuses(FILE, "no.such.Provider"));
  }

  @Test
  void errorsOfLogicsSayFileLineKeyAndWhatMayBeMeant() {
    refuses(
        FILE.replace("logic: anomaly", "logic: anomoly"),
        "talkers.yaml:10: report.logic: expected anomaly, beacons, live, ",
        "found 'anomoly'; did you mean 'anomaly'?");
    refuses(
        FILE.replace("logic: anomaly", "logic: no.such.Logic"),
        "talkers.yaml:10: report.logic: no class no.such.Logic on the class path");
    refuses(
        FILE.replace("threshold: 0.5", "treshold: 0.5"),
        "talkers.yaml:12: report.parameters.treshold: is not a parameter of logic anomaly",
        "did you mean 'threshold'?");
    refuses(
        FILE.replace("threshold: 0.5", "threshold: 1.5"),
        "talkers.yaml:12: report.parameters.threshold: expected a number 0…1, found '1.5'");
    refuses(
        FILE.replace("threshold: 0.5", "decides: cosin"),
        "talkers.yaml:12: report.parameters.decides: expected one of ",
        "did you mean 'cosine'?");
    refuses(
        FILE.replace("AS bytes", "AS byte"),
        "talkers.yaml:3: live.query: logic anomaly needs a column bytes, found [src_addr, byte];"
            + " did you mean 'byte' AS bytes?");
    refuses(FILE, "talkers.yaml:8: history.query: logic anomaly needs a column bytes, found");
    refuses(
        FILE.replaceAll("history:\\n.*\\n", ""),
        "talkers.yaml:1: history: is missing; logic anomaly compares with it");
    refuses(
        FILE.replace("AS bytes", "AS \"Bytes\""),
        "talkers.yaml:3: live.query: a report's column needs a name of lower-case letters");
  }

  private static void refuses(String text, String... parts) {
    AnalysisConfig config = AnalysisConfig.parse("talkers.yaml", text);
    ConfigException e =
        assertThrows(ConfigException.class, () -> ReportLogics.of(config).open(config));
    for (String part : parts) {
      assertTrue(e.getMessage().contains(part), e.getMessage());
    }
  }
}
